import type { Logger } from './log';

const CLOCK_CHECK_MS = 1000;
/** Tolerated difference, larger than the usual corrections by time servers. */
const MAX_CLOCK_DRIFT_MS = 5000;

/** Wall clock and monotonic clock in milliseconds. */
export interface Clocks {
  wall: () => number;
  steady: () => number;
}

const CLOCKS: Clocks = { wall: () => Date.now(), steady: () => performance.now() };

/** Logs when the wall clock is set back, because recorded clicks then have future times. */
export class ClockWatch {
  private readonly looking: NodeJS.Timeout;
  private lead: number;

  constructor(
    private readonly log: Pick<Logger, 'warn'>,
    private readonly clocks: Clocks = CLOCKS,
  ) {
    this.lead = this.measure();
    this.looking = setInterval(() => this.look(), CLOCK_CHECK_MS).unref();
  }

  stop(): void {
    clearInterval(this.looking);
  }

  private look(): void {
    const before = this.lead;
    this.lead = this.measure();
    const fell = before - this.lead;
    if (fell <= MAX_CLOCK_DRIFT_MS) return;
    this.log.warn(
      `This machine's clock went back by ${Math.round(fell / 1000)} s; recent clicks will ` +
        'appear in statistics once the clock reaches their time again',
    );
  }

  private measure(): number {
    return this.clocks.wall() - this.clocks.steady();
  }
}
