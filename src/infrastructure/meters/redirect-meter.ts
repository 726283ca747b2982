import { Injectable } from '@nestjs/common';
import { isDatabaseUnreachable } from '../../common/database-fault';
import { CurtailError } from '../../common/errors';
import { Durations } from './meters';

/** How a visit to a short path ended; `looked` is a HEAD, which counts no click. */
export const OUTCOMES = [
  'redirected',
  'looked',
  'unknown',
  'gone',
  'forbidden',
  'password',
  'limited',
  'unavailable',
  'failed',
] as const;
export type Outcome = (typeof OUTCOMES)[number];

const BY_STATUS = new Map<number, Outcome>([
  [401, 'password'],
  [403, 'forbidden'],
  [404, 'unknown'],
  [410, 'gone'],
  [429, 'limited'],
  [503, 'unavailable'],
]);

/** Counts the visits of this web process by outcome, and how long its redirects took. */
@Injectable()
export class RedirectMeter {
  readonly outcomes: Record<Outcome, number> = {
    redirected: 0,
    looked: 0,
    unknown: 0,
    gone: 0,
    forbidden: 0,
    password: 0,
    limited: 0,
    unavailable: 0,
    failed: 0,
  };
  readonly durations = new Durations();

  /** A redirect is on its way; `begun` is the monotonic time at which its request arrived. */
  redirected(begun: number): void {
    this.outcomes.redirected++;
    this.durations.observe(performance.now() - begun);
  }

  refused(error: unknown): void {
    this.outcomes[outcomeOf(error)]++;
  }
}

function outcomeOf(error: unknown): Outcome {
  if (error instanceof CurtailError) return BY_STATUS.get(error.status) ?? 'failed';
  return isDatabaseUnreachable(error) ? 'unavailable' : 'failed';
}
