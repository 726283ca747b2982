import { Injectable } from '@nestjs/common';
import { isDatabaseUnreachable } from '../../common/database-fault';
import { CurtailError } from '../../common/errors';

/** `looked` counts HEAD requests; `pre_start` and `expired` count visits redirected elsewhere. */
export const OUTCOMES = [
  'redirected',
  'looked',
  'pre_start',
  'expired',
  'unknown',
  'gone',
  'forbidden',
  'password',
  'limited',
  'unavailable',
  'failed',
] as const;
export type RedirectOutcome = (typeof OUTCOMES)[number];

const BY_STATUS = new Map<number, RedirectOutcome>([
  [401, 'password'],
  [403, 'forbidden'],
  [404, 'unknown'],
  [410, 'gone'],
  [429, 'limited'],
  [503, 'unavailable'],
]);

/** Upper bounds of the buckets in seconds; the last bucket has no bound. */
export const SECONDS = [
  0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5,
] as const;

/** A histogram of redirects; `observe` allocates no memory. */
export class Durations {
  /** One count per bucket; counts are not cumulative. */
  readonly counts = new Float64Array(SECONDS.length + 1);
  sumMs = 0;

  observe(ms: number): void {
    const seconds = ms / 1000;
    let bucket = 0;
    while (bucket < SECONDS.length && seconds > (SECONDS[bucket] ?? 0)) bucket++;
    this.counts[bucket] = (this.counts[bucket] ?? 0) + 1;
    this.sumMs += ms;
  }
}

@Injectable()
export class RedirectMeter {
  readonly outcomes: Record<RedirectOutcome, number> = {
    redirected: 0,
    looked: 0,
    pre_start: 0,
    expired: 0,
    unknown: 0,
    gone: 0,
    forbidden: 0,
    password: 0,
    limited: 0,
    unavailable: 0,
    failed: 0,
  };
  readonly durations = new Durations();

  /** @param begun monotonic time at which the request arrived */
  redirected(begun: number): void {
    this.outcomes.redirected++;
    this.durations.observe(performance.now() - begun);
  }

  refused(error: unknown): void {
    this.outcomes[outcomeFromError(error)]++;
  }
}

function outcomeFromError(error: unknown): RedirectOutcome {
  if (error instanceof CurtailError) return BY_STATUS.get(error.status) ?? 'failed';
  return isDatabaseUnreachable(error) ? 'unavailable' : 'failed';
}
