/** Number of checks within which a process must respond once. */
const LOOKS = 10;

export interface WatchdogOptions {
  /** A process that does not respond for this long is considered hung. */
  silentMs: number;
  ask: () => void;
  /** Called once; the watchdog then stops. */
  onSilent: () => void;
}

/** Counts checks instead of time, because both processes may be suspended at the same time. */
export class Watchdog {
  private readonly looking: NodeJS.Timeout;
  private missed = 0;

  constructor(private readonly options: WatchdogOptions) {
    this.looking = setInterval(() => this.look(), options.silentMs / LOOKS).unref();
    options.ask();
  }

  heard(): void {
    this.missed = 0;
  }

  stop(): void {
    clearInterval(this.looking);
  }

  private look(): void {
    this.missed += 1;
    if (this.missed <= LOOKS) {
      this.options.ask();
      return;
    }
    this.stop();
    this.options.onSilent();
  }
}
