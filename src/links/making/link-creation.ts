import type { Link, NewLink } from '../../stores/links/link';
import { AliasTakenError } from '../../stores/links/link.errors';
import type { LinksRepository } from '../../stores/links/links.repository';
import { toKey } from '../../stores/links/alias-form';
import { type AliasSource, isReserved } from './alias';
import { AliasesExhaustedError } from './links.errors';

/** Maximum number of attempts, far more than random aliases need. */
const MAX_DRAWS = 100;

export interface LinkRequest {
  readonly link: Omit<NewLink, 'alias'>;
  /** The stored form; null for a generated alias. */
  readonly alias: string | null;
  /** The domain for a generated alias. */
  readonly domainId: string | null;
  readonly aliases: AliasSource;
}

/** Stores links and replaces generated aliases that are taken. Returns links or errors in order. */
export async function createLinks(
  repository: Pick<LinksRepository, 'insertMany'>,
  requests: readonly LinkRequest[],
  now: Date,
): Promise<(Link | Error)[]> {
  const outcomes: (Link | Error)[] = [];
  let pending = requests.map((request, index) => ({ ...request, index }));
  for (let attempt = 1; pending.length > 0; attempt++) {
    const links = pending.map(({ link, alias, domainId, aliases }) => ({
      ...link,
      alias: alias ?? unreserved(aliases, domainId),
    }));
    const results = await repository
      .insertMany(links, now)
      .catch((error: unknown) => links.map(() => error as Error));
    pending = pending.filter(({ alias, aliases, index }, i) => {
      const result = results[i] ?? new Error('A link was not stored');
      const isTaken = alias === null && result instanceof AliasTakenError;
      const isLast = attempt >= aliases.tries;
      outcomes[index] = isTaken && isLast ? new AliasesExhaustedError() : result;
      return isTaken && !isLast;
    });
  }
  return outcomes;
}

/** @throws AliasesExhaustedError if the source returns only reserved aliases */
function unreserved(aliases: AliasSource, domainId: string | null): string {
  for (let draw = 0; draw < MAX_DRAWS; draw++) {
    const alias = toKey(domainId, aliases.next());
    if (!isReserved(alias)) return alias;
  }
  throw new AliasesExhaustedError();
}
