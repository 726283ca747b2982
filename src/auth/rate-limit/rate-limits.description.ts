import type { WindowRule } from '../../infrastructure/rate-limit-store/rate-limit-store';
import { DAY, HOUR, MINUTE } from '../../common/time';
import type { LimitRow } from './rate-limits';

const SPANS = new Map([
  [MINUTE, 'minute'],
  [HOUR, 'hour'],
  [DAY, 'day'],
]);

/** The figures of a row in words, for the API description. */
export function limitText({ authenticated, anonymous }: LimitRow): string {
  if (authenticated === undefined) return `Limit: ${windows(anonymous ?? [])} for an address.`;
  const own = `Limit: ${windows(authenticated)} for an account`;
  return anonymous === undefined
    ? `${own}.`
    : `${own}, ${windows(anonymous)} for an address without a credential.`;
}

function windows(rules: readonly WindowRule[]): string {
  return rules.map(({ limit, ms }) => `${limit} a ${SPANS.get(ms) ?? `${ms} ms`}`).join(' and ');
}
