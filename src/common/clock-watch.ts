import type { Logger } from './log';

const CLOCK_CHECK_MS = 1000;
/** Time servers move a clock by less. */
const MAX_CLOCK_DRIFT_MS = 5000;

/** The clock of the day, and one that only goes on, in milliseconds. */
export interface Clocks {
  wall: () => number;
  steady: () => number;
}

const CLOCKS: Clocks = { wall: () => Date.now(), steady: () => performance.now() };

/**
 * Tells when the clock of the day falls back, held against the one that never does. Nothing breaks
 * by it, but what was recorded before then lies in the future until the clock gets there.
 */
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
      `The clock of this machine fell back by ${Math.round(fell / 1000)} s: clicks of before then ` +
        'show in statistics once it gets there again',
    );
  }

  private measure(): number {
    return this.clocks.wall() - this.clocks.steady();
  }
}
