/** A wait that can be ended early. */
export class Pause {
  private end: () => void = () => undefined;

  for(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.end = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** Ends the wait that is under way, if one is. */
  cut(): void {
    this.end();
  }
}
