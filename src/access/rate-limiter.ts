import { Injectable } from '@nestjs/common';
import type { ServerResponse } from 'node:http';
import { LimitMeter } from '../platform/meters/limit-meter';
import { WindowRule, WindowState, WindowStore } from '../platform/windows/window-store';
import { RateLimitError } from './rate-limit.error';

/** Judges a request against windows and says so in its headers (contract 4.1). */
@Injectable()
export class RateLimiter {
  constructor(
    private readonly store: WindowStore,
    private readonly meter: LimitMeter,
  ) {}

  /** Counts the request or throws RateLimitError; sets X-RateLimit-* of the shortest window. */
  async take(
    response: ServerResponse,
    key: string,
    rules: readonly WindowRule[],
    hint?: string,
  ): Promise<void> {
    const { allowed, windows, now } = await this.store.take(key, rules);
    announce(response, windows, rules);
    if (allowed) return;
    // Keys begin with the name of their row.
    this.meter.refused(key.slice(0, key.indexOf('|')));
    const ends = windows.filter((w) => w.count >= w.limit).map((w) => w.endsAt);
    const seconds = Math.max(1, Math.ceil((Math.max(...ends) - now) / 1000));
    throw new RateLimitError(seconds, hint);
  }
}

function announce(
  response: ServerResponse,
  windows: readonly WindowState[],
  rules: readonly WindowRule[],
): void {
  const lengths = rules.map((rule) => rule.ms);
  const shortest = windows[lengths.indexOf(Math.min(...lengths))];
  if (shortest === undefined) return;
  response.setHeader('X-RateLimit-Limit', String(shortest.limit));
  response.setHeader('X-RateLimit-Remaining', String(Math.max(0, shortest.limit - shortest.count)));
  response.setHeader('X-RateLimit-Reset', String(Math.ceil(shortest.endsAt / 1000)));
}
