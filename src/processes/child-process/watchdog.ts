/** Looks in which a process has to answer once. */
const LOOKS = 10;

export interface WatchdogOptions {
  /** Silent for so long, a process hangs. */
  silentMs: number;
  /** Asks the process for a sign of life. */
  ask: () => void;
  /** Called once, after which the watchdog is at rest. */
  onSilent: () => void;
}

/**
 * Notices a process whose event loop hangs, or that is stopped. It counts its own looks instead of
 * comparing times: when the watching process itself stood still, with a machine that slept or under
 * a debugger, the others had no more time to answer than it had to look.
 */
export class Watchdog {
  private readonly looking: NodeJS.Timeout;
  private missed = 0;

  constructor(private readonly options: WatchdogOptions) {
    this.looking = setInterval(() => this.look(), options.silentMs / LOOKS).unref();
    options.ask();
  }

  /** The process has given a sign of life. */
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
