/** A wait that can be ended early. */
export class CancellableDelay {
  private end: () => void = () => undefined;

  wait(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.end = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** Ends the wait that is under way, if one is. */
  cancel(): void {
    this.end();
  }
}
