import { applyDecorators, type ExecutionContext, SetMetadata } from '@nestjs/common';
import { Throttle } from '@nestjs/throttler';
import type { Request } from 'express';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../common/time';
import { ConfigurationError } from '../../config/environment.schema';
import type { LimitChanges } from '../../config/limits-file';
import type { WindowRule } from '../../infrastructure/rate-limit-store/rate-limit-store';
import { type Caller, callerFromRequest } from '../access';

/** A row in the table in docs/operations.md. Counts per address if only `anonymous` is set. */
export interface LimitRow {
  readonly authenticated?: readonly WindowRule[];
  readonly anonymous?: readonly WindowRule[];
  /** The `hint` and X-Svc-Hint for anonymous callers (docs/contract.md#4.1). */
  readonly hint?: string;
}

const perMinute = (limit: number): WindowRule => ({ limit, ms: MINUTE_MS });
const perHour = (limit: number): WindowRule => ({ limit, ms: HOUR_MS });
const perDay = (limit: number): WindowRule => ({ limit, ms: DAY_MS });

const WINDOW_UNITS = new Map([
  [MINUTE_MS, 'minute'],
  [HOUR_MS, 'hour'],
  [DAY_MS, 'day'],
]);

function windowTexts(rules: readonly WindowRule[]): string[] {
  return rules.map(({ limit, ms }) => `${limit} per ${WINDOW_UNITS.get(ms) ?? `${ms} ms`}`);
}

function v1Hint(rules: readonly WindowRule[]): string {
  const figures = windowTexts(rules);
  const allowed = figures.length === 0 ? 'unlimited requests' : figures.join(' and ');
  return `Sign in or use an API key for the authenticated tier: POST /api/v1/shorten allows ${allowed}`;
}

const V1_HINT = v1Hint([
  { limit: 60, ms: MINUTE_MS },
  { limit: 5000, ms: DAY_MS },
]);
const LEGACY_HINT = 'Move to POST /api/v1/shorten for higher limits; see /docs';

const account = (...rules: WindowRule[]): LimitRow => ({ authenticated: rules });
const v1Account = (...rules: WindowRule[]): LimitRow => ({ authenticated: rules, hint: V1_HINT });
const address = (...rules: WindowRule[]): LimitRow => ({ anonymous: rules });
const tiers = (authenticated: WindowRule[], anonymous: WindowRule[]): LimitRow => ({
  authenticated,
  anonymous,
  hint: V1_HINT,
});

export const LIMITS = {
  'links.create': tiers([perMinute(60), perDay(5000)], [perMinute(20), perDay(200)]),
  'links.check-alias': tiers([perMinute(180), perDay(10_000)], [perMinute(60), perDay(2000)]),
  'links.by-address': v1Account(perMinute(60), perDay(5000)),
  'links.claim': v1Account(perMinute(30), perDay(500)),
  'links.public-preview': address(perMinute(30), perDay(2000)),
  'emoji-set': address(perMinute(60), perDay(2000)),
  'links.list': v1Account(perMinute(60), perDay(5000)),
  'links.export': v1Account(perMinute(30), perDay(1000)),
  'links.read': v1Account(perMinute(60), perDay(5000)),
  'links.update': v1Account(perMinute(60), perDay(5000)),
  'links.delete': v1Account(perMinute(60), perDay(5000)),
  'links.delete-clicks': v1Account(perMinute(30), perDay(500)),
  'links.status': v1Account(perMinute(60), perDay(5000)),
  'links.resolve': v1Account(perMinute(60)),
  'tags.list': v1Account(perMinute(60)),
  'tags.create': v1Account(perMinute(60)),
  'tags.update': v1Account(perMinute(60)),
  'tags.delete': v1Account(perMinute(60)),
  'links.bulk-create': v1Account(perMinute(30), perDay(500)),
  /** Counts the links in the request bodies. */
  'links.create-items': account(perDay(10_000)),
  'links.bulk': v1Account(perMinute(60), perDay(500)),
  'links.bulk-delete': v1Account(perMinute(30), perDay(500)),
  'links.move': v1Account(perMinute(60), perDay(500)),
  'links.delete-all': v1Account(perMinute(5), perDay(50)),
  'utm.list': v1Account(perMinute(60)),
  'utm.create': v1Account(perMinute(60)),
  'utm.update': v1Account(perMinute(60)),
  'utm.delete': v1Account(perMinute(60)),
  'domains.create': v1Account(perHour(10)),
  'domains.list': v1Account(perMinute(60)),
  'domains.read': v1Account(perMinute(60)),
  'domains.shared': v1Account(perMinute(60)),
  'domains.verify': v1Account(perMinute(10), perHour(60)),
  'domains.update': v1Account(perMinute(30)),
  'domains.delete': v1Account(perMinute(10)),
  'domains.remove': v1Account(perMinute(10)),
  overview: v1Account(perMinute(60), perDay(5000)),
  'qr.image': address(perMinute(60), perDay(5000)),
  'qr.read': v1Account(perMinute(60)),
  'qr.update': v1Account(perMinute(60)),
  'qr.logo': v1Account(perHour(10)),
  'stats.account': tiers([perMinute(60), perDay(5000)], [perMinute(20), perDay(500)]),
  'stats.link': v1Account(perMinute(60), perDay(5000)),
  'export.account': v1Account(perMinute(30), perDay(1000)),
  'export.link': v1Account(perMinute(30), perDay(1000)),
  'stats.public': tiers([perMinute(60), perDay(2000)], [perMinute(20), perDay(500)]),
  'reports.create': tiers([perMinute(30), perDay(500)], [perMinute(5), perDay(40)]),
  /** Limits reported links without an open report, per reporter. */
  'reports.create-items': tiers([perDay(200)], [perDay(100)]),
  /** Limits reported links without an open report, per link owner. */
  'reports.owner': account(perDay(200)),
  'jobs.read': v1Account(perMinute(120)),
  'jobs.cancel': v1Account(perMinute(120)),
  'imports.create': v1Account(perHour(10), perDay(30)),
  'imports.read': v1Account(perMinute(120)),
  'imports.run': v1Account(perHour(30)),
  'imports.change': v1Account(perMinute(60)),
  'imports.rows': v1Account(perMinute(60)),
  'imports.report': v1Account(perHour(30)),
  'account.export': v1Account(perDay(2)),
  'account.exports': v1Account(perMinute(120)),
  'account.export-file': v1Account(perHour(10)),
  'keys.create': v1Account(perHour(5)),
  'keys.list': v1Account(perMinute(60)),
  'keys.delete': v1Account(perMinute(30)),
  'admin.read': account(perMinute(120)),
  'admin.write': account(perMinute(120)),
  'auth.login': address(perMinute(5), perDay(50)),
  /**
   * Limits wrong passwords per account, and per browser that has signed in to the account before.
   */
  'auth.login-account': account(perHour(30)),
  'auth.login-device': account(perHour(10)),
  'auth.register': address(perMinute(5), perDay(50)),
  'auth.setup': address(perMinute(10), perHour(60)),
  'auth.refresh': address(perMinute(20)),
  'auth.logout': address(perHour(60)),
  'auth.me': account(perMinute(60)),
  'auth.update-me': account(perMinute(30)),
  'auth.proof-code': account(perHour(3)),
  'auth.delete': account(perMinute(5)),
  'auth.restore': account(perMinute(5)),
  'auth.change-email': account(perHour(3), perDay(10)),
  'auth.confirm-email': account(perHour(10)),
  'auth.undo-email': address(perHour(5)),
  'auth.sessions': account(perMinute(60)),
  'auth.end-sessions': account(perMinute(30)),
  'auth.change-password': account(perMinute(5)),
  'auth.set-password': account(perMinute(5)),
  'auth.send-verification': account(perHour(3)),
  'auth.verify-email': account(perHour(10)),
  'auth.request-password-reset': address(perHour(3)),
  'auth.reset-password': address(perHour(5)),
  'oauth.providers': account(perMinute(60)),
  'oauth.unlink': account(perMinute(5)),
  'oauth.link': account(perMinute(5)),
  'oauth.start': address(perMinute(10)),
  'oauth.callback': address(perMinute(20)),
  'legacy.shorten': { anonymous: [perMinute(5), perDay(50)], hint: LEGACY_HINT },
  'legacy.emoji': { anonymous: [perMinute(5), perDay(50)], hint: LEGACY_HINT },
  'legacy.stats-form': address(perMinute(20), perDay(1000)),
  'legacy.stats': address(perMinute(20), perDay(1000)),
  'legacy.export': address(perMinute(10), perDay(200)),
  'pages.preview': address(perMinute(30), perDay(2000)),
  'pages.download': address(perMinute(10), perDay(200)),
  /** Limits link passwords per address and link (docs/contract.md#8.2). */
  'links.password': address(perMinute(10), perHour(30)),
  /** Limits link passwords per address, for all links together. */
  'links.password-all': address(perMinute(30)),
} satisfies Record<string, LimitRow>;

export type LimitName = keyof typeof LIMITS;

/** Rows for routes that only read, some of which use other methods than GET. */
export const READING_LIMITS: ReadonlySet<LimitName> = new Set([
  'links.resolve',
  'stats.link',
  'stats.public',
]);

/** Row for routes that create links, some of which use GET (docs/contract.md#35.1). */
export const CREATING_LIMIT: LimitName = 'links.create';

const OFF: LimitRow = { authenticated: [], anonymous: [] };

let limitTable: Readonly<Record<LimitName, LimitRow>> = LIMITS;

/** Applies LIMITS_FILE at startup. @throws ConfigurationError for an unknown row */
export function changeLimits(changes: LimitChanges): void {
  const rows: Record<LimitName, LimitRow> = { ...LIMITS };
  for (const [name, change] of changes) {
    if (!isLimitName(name)) {
      const names = Object.keys(LIMITS).join(', ');
      throw new ConfigurationError('LIMITS_FILE', undefined, `"${name}" is not one of ${names}`);
    }
    rows[name] = change === 'off' ? OFF : { ...rows[name], ...change };
  }
  const hint = v1Hint(rows['links.create'].authenticated ?? []);
  for (const name of Object.keys(rows) as LimitName[]) {
    if (rows[name].hint === V1_HINT) rows[name] = { ...rows[name], hint };
  }
  limitTable = rows;
}

function isLimitName(name: string): name is LimitName {
  return Object.hasOwn(LIMITS, name);
}

export function limitRow(name: LimitName): LimitRow {
  return limitTable[name];
}

/** A row's windows that apply to the caller, shortest first. */
export function windowsForCaller(row: LimitRow, { principal }: Caller): readonly WindowRule[] {
  const own = principal === null ? undefined : row.authenticated;
  return own ?? row.anonymous ?? row.authenticated ?? [];
}

export const RATE_LIMIT = 'curtail:rate-limit';

export const ROUTE_THROTTLER = 'route';

export const ACCOUNT_RATE_LIMIT = 'curtail:account-rate-limit';

/** Callers with an account use the second row, so that pages and the API have the same windows. */
export const RateLimit = Object.assign(
  (name: LimitName, ofAccount: LimitName = name) => {
    const shortest = (context: ExecutionContext): WindowRule | undefined => {
      const caller = callerFromRequest(context.switchToHttp().getRequest<Request>());
      return windowsForCaller(limitRow(caller.principal === null ? name : ofAccount), caller)[0];
    };
    return applyDecorators(
      SetMetadata(RATE_LIMIT, name),
      SetMetadata(ACCOUNT_RATE_LIMIT, ofAccount),
      Throttle({
        [ROUTE_THROTTLER]: {
          limit: (context) => shortest(context)?.limit ?? 0,
          ttl: (context) => shortest(context)?.ms ?? 0,
        },
      }),
    );
  },
  { none: () => SetMetadata(RATE_LIMIT, 'none') },
);

export const FURTHER_LIMITS = 'curtail:further-limits';

/** Counted items by row, such as `{ 'links.password': 'requests with a link password' }`. */
export type FurtherLimits = Readonly<Partial<Record<LimitName, string>>>;

/** Describes additional limits, which the handler checks. */
export const AlsoLimited = (limits: FurtherLimits) => SetMetadata(FURTHER_LIMITS, limits);

export function limitText({ authenticated, anonymous }: LimitRow): string {
  if (authenticated === undefined) return `Limit: ${windows(anonymous)} for each client address.`;
  const own = `Limit: ${windows(authenticated)} for each account`;
  return anonymous === undefined
    ? `${own}.`
    : `${own}, ${windows(anonymous)} for each client address without a credential.`;
}

export function furtherLimitText(limits: FurtherLimits): string {
  const texts = (Object.entries(limits) as [LimitName, string][]).map(([name, counted]) => {
    const { authenticated, anonymous } = limitRow(name);
    const byAddress = authenticated && anonymous;
    const more = byAddress ? ` (${windows(byAddress)} without a credential)` : '';
    return `${windows(authenticated ?? anonymous)}${more} for ${counted}`;
  });
  return `Also limited: ${texts.join('; ')}.`;
}

function windows(rules: readonly WindowRule[] = []): string {
  return rules.length === 0 ? 'none' : windowTexts(rules).join(' and ');
}
