import { SIGNALS } from '../engines/click-engine/chunk/click';
import { agentVerdict } from '../clicks/crawlers';
import { hasDestinations } from '../destinations/destinations';
import type { RememberedLink } from '../stores/links/link';
import { clickUserAgent } from './click-details';
import { type Diversion, decideDiversion } from './diversion';
import { BotBlockedError } from './redirect.errors';

export interface Visit {
  /** Arrival time in milliseconds since 1970-01-01 UTC. */
  readonly at: number;
  /** Arrival time on the monotonic clock. */
  readonly begun: number;
  /** False for HEAD: no click, no slot and no bot check (docs/contract.md#7 and 8.1). */
  readonly counted: boolean;
  readonly address: string;
  readonly userAgent: string | undefined;
  readonly referer: string | undefined;
  /** Accept-Language; absent on the fast path. */
  readonly language?: string;
  /** The visited short URL's query without `?`. */
  readonly query: string;
  /** Bits of SIGNALS derived from headers and query. */
  readonly flags: number;
  readonly unlocked?: boolean;
}

/** The next action for a visit. An `exempt` click does not count towards the click limit. */
export type NextStep = 'password' | 'slot' | 'exempt' | 'click' | Diversion;

interface VisitStep {
  /** Whether the step applies to a link. Evaluated at the first visit only, if the link is plain. */
  readonly concerns: (link: RememberedLink) => boolean;
  /** Returns the next action, or null to continue. Throws to refuse the visit. */
  readonly decide: (link: RememberedLink, visit: Visit) => NextStep | null;
}

/** Steps between alias lookup and click, in order (docs/contract.md#8.1). */
const VISIT_STEPS: readonly VisitStep[] = [
  {
    concerns: ({ blocked, status, expireAfter, startsAt }) =>
      blocked !== null || status !== 'ACTIVE' || expireAfter !== null || startsAt !== null,
    decide: (link, { at }) => decideDiversion(link, at),
  },
  {
    concerns: ({ passwordHash }) => passwordHash !== null,
    decide: (_, { unlocked }) => (unlocked === true ? null : 'password'),
  },
  {
    concerns: ({ blockBots }) => blockBots,
    decide: (_, visit) => {
      if (visit.counted && isAutomatic(visit)) throw new BotBlockedError();
      return null;
    },
  },
  {
    concerns: ({ countBots }) => !countBots,
    decide: (_, visit) => (visit.counted && isAutomatic(visit) ? 'exempt' : null),
  },
  {
    concerns: ({ maxClicks }) => maxClicks !== null,
    decide: () => 'slot',
  },
];

function isAutomatic({ flags, userAgent }: Visit): boolean {
  if ((flags & SIGNALS.prefetch) !== 0) return true;
  return agentVerdict(clickUserAgent(userAgent)).name !== null;
}

/** Runs a link's steps. For a link without applicable steps, this is a single test. */
export function nextStep(link: RememberedLink, visit: Visit): NextStep {
  link.isPlain ??=
    !link.forwardQuery &&
    !hasDestinations(link.destinations) &&
    !VISIT_STEPS.some(({ concerns }) => concerns(link));
  if (link.isPlain) return 'click';
  for (const { concerns, decide } of VISIT_STEPS) {
    const next = concerns(link) ? decide(link, visit) : null;
    if (next !== null) return next;
  }
  return 'click';
}
