import { SIGNALS } from '../engines/click-engine/signals';
import { agentVerdict } from '../clicks/crawlers';
import { hasDestinations } from '../destinations/destinations';
import type { RememberedLink } from '../stores/links/link';
import { clickUserAgent } from './click-details';
import { type Diversion, decideDiversion } from './diversion';
import { BotBlockedError } from './redirect.errors';

/** A request that a link is to be resolved for. */
export interface Visit {
  /** Milliseconds since 1970-01-01 UTC at which the request arrived. */
  readonly at: number;
  /** The same moment on the monotonic clock. */
  readonly begun: number;
  /** HEAD counts nothing, takes no slot and knows no bot rule (docs/contract.md#7, docs/contract.md#8.1). */
  readonly counted: boolean;
  /** The visitor's whole address. */
  readonly address: string;
  readonly userAgent: string | undefined;
  readonly referer: string | undefined;
  /** Accept-Language; never read where Node's parser is passed by. */
  readonly language?: string;
  /** Query of the visited short URL without `?`. */
  readonly query: string;
  /** Bits of SIGNALS that its headers and its query say. */
  readonly flags: number;
  /** Whether the password of the link was given. */
  readonly unlocked?: boolean;
}

/** The step of a visit that comes next: password, slot, click, a click that counts toward no limit, or elsewhere. */
export type NextStep = 'password' | 'slot' | 'exempt' | 'click' | Diversion;

interface VisitStep {
  /** Whether the step has anything to do with a link; asked once, when a link is first visited. */
  readonly concerns: (link: RememberedLink) => boolean;
  /** Returns what the visit needs next, null where it goes on; throws its refusal. */
  readonly decide: (link: RememberedLink, visit: Visit) => NextStep | null;
}

/**
 * The order of a visit (docs/contract.md#8.1), between the look-up of the alias and the click: which
 * step refuses, diverts or admits. A further rule of links is one more row.
 */
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

/** Whether a bot or a preview asks (docs/contract.md#28.1). */
function isAutomatic({ flags, userAgent }: Visit): boolean {
  if ((flags & SIGNALS.askedAhead) !== 0) return true;
  return agentVerdict(clickUserAgent(userAgent)).name !== null;
}

/** Takes a visit through the steps of its link; links that no step concerns pay for one test. */
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
