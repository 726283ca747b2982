import type { Figures } from '../../analytics/engine/figures';
import type { Link } from '../../links/lookup/link';

/** Port: everything that was counted for a link, as `presentLegacyStats` needs it. */
export abstract class LifetimeStatistics {
  /** @param now milliseconds since 1970-01-01 UTC, the end of the range */
  abstract of(link: Link, now: number): Promise<Figures>;
}
