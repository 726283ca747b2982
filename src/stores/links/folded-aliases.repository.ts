import type { mongo } from 'mongoose';
import { isDuplicateKey, isMissingIndex } from '../../common/database-fault';
import { BsonFields } from '../../infrastructure/mongo/bson-fields';
import { foldKey } from './alias-form';
import type { NewLink } from './link';
import { ABSENT, LINKS_BATCH } from './link-collection.repository';
import { AliasTakenError } from './link.errors';
import type { LinkRecord } from './link.schema';

// Reads and writes of folded aliases (docs/contract.md#34.4), which several repositories use.

type Links = mongo.Collection<LinkRecord>;

export const BY_FOLD = 'folded_alias';

/** `$toLower` changes only the letters A to Z. */
const FOLDED_BY_DATABASE = { $toLower: '$alias' };

const FOLDED = new BsonFields<{ alias: string }>({
  folded_alias: (link, value) => (link.alias = value.text()),
});

/**
 * Returns up to two links per folded alias, to show whether a link is the only one. Returns none
 * until the index exists.
 */
export async function findByFolds<Found extends mongo.BSON.Document = LinkRecord>(
  links: Links,
  folds: readonly string[],
  options: mongo.FindOptions = {},
): Promise<Found[]> {
  if (folds.length === 0) return [];
  const limit = 2 * folds.length;
  const found = await links
    .find<Found>({ folded_alias: { $in: [...folds] } }, { ...options, hint: BY_FOLD, limit })
    .toArray()
    .catch((error: unknown): never[] => {
      if (isMissingIndex(error)) return [];
      throw error;
    });
  if (found.length < limit || folds.length === 1) return found;
  return (
    await Promise.all(folds.map((fold) => findByFolds<Found>(links, [fold], options)))
  ).flat();
}

/** Returns another link with the same folded alias for each link that has one. */
export async function findHolders<Named extends { readonly alias: string; readonly id?: string }>(
  links: Links,
  named: readonly Named[],
): Promise<Map<Named, LinkRecord>> {
  const records = await findByFolds(
    links,
    named.map(({ alias }) => foldKey(alias)),
  );
  const byFold = new Map<string, LinkRecord[]>();
  for (const record of records) {
    const folded = foldKey(record.alias);
    byFold.set(folded, [...(byFold.get(folded) ?? []), record]);
  }
  return new Map(
    named.flatMap((link) => {
      const group = byFold.get(foldKey(link.alias)) ?? [];
      const holder = group.find(({ _id }) => _id.toHexString() !== link.id);
      return holder === undefined ? [] : [[link, holder]];
    }),
  );
}

/** Inserts only links whose folded alias no other link has. Claims decide concurrent inserts. */
export async function insertUnlessHeld<New extends Pick<NewLink, 'alias' | 'id'>, Result>(
  links: Links,
  requested: readonly New[],
  insert: (free: readonly New[]) => Promise<Result[]>,
): Promise<(Result | AliasTakenError)[]> {
  const holders = await findHolders(links, requested);
  const results = (await insert(requested.filter((link) => !holders.has(link)))).values();
  return requested.map((link) => {
    const holder = holders.get(link);
    if (holder !== undefined) return new AliasTakenError(link.alias, holder.alias);
    return results.next().value as Result;
  });
}

interface FoldedAliases {
  /** Aliases that several links have in different cases, and the first of them, folded. */
  readonly count: number;
  readonly first: readonly string[];
  /** Number of folded aliases that no link has claimed. */
  readonly unclaimed: number;
}

export async function findCollisions(links: Links, limit: number): Promise<FoldedAliases> {
  // Covered by the index, whose order the hint determines.
  const cursor = links
    .find({ folded_alias: { $gte: '' } }, { hint: BY_FOLD, batchSize: LINKS_BATCH, raw: true })
    .project<Uint8Array>({ _id: 0, folded_alias: 1 });
  const first: string[] = [];
  let [count, folds, last, isCounted] = [0, 0, '', false];
  while (await cursor.hasNext()) {
    for (const document of cursor.readBufferedDocuments()) {
      const { alias } = FOLDED.read(document, { alias: '' });
      if (alias !== last) [folds, last, isCounted] = [folds + 1, alias, false];
      else if (!isCounted) {
        isCounted = true;
        if (++count <= limit) first.push(alias);
      }
    }
  }
  // Counted afterwards, because every link that was created meanwhile has its claim.
  const claimed = { folded_claim: { $gte: '' } };
  const claims = await links.countDocuments(claimed, { hint: 'folded_claim' });
  return { count, first, unclaimed: Math.max(0, folds - claims) };
}

/** Adds missing folded aliases, and the claims that are free. */
export async function foldAliases(links: Links, ids: readonly mongo.ObjectId[]): Promise<void> {
  // The other index contains all links that are still to be folded, in every step.
  const options = { hint: { _id: 1 } } as const;
  const claiming = [
    { $set: { folded_alias: FOLDED_BY_DATABASE, folded_claim: FOLDED_BY_DATABASE } },
  ];
  let claimants = ids;
  while (claimants.length > 0) {
    try {
      const unclaimed = { _id: { $in: [...claimants] }, folded_claim: ABSENT };
      await links.updateMany(unclaimed, claiming, options);
      if (claimants === ids) return;
      break;
    } catch (error) {
      // The update stopped at a link whose claim another link has.
      if (!isDuplicateKey(error)) throw error;
    }
    claimants = await findClaimants(links, ids);
  }
  const unfolded = { _id: { $in: [...ids] }, folded_alias: ABSENT };
  await links.updateMany(unfolded, [{ $set: { folded_alias: FOLDED_BY_DATABASE } }], options);
}

/** Returns one link for each folded alias without a claim. */
async function findClaimants(
  links: Links,
  ids: readonly mongo.ObjectId[],
): Promise<mongo.ObjectId[]> {
  const unclaimed = await links
    .find({ _id: { $in: [...ids] }, folded_claim: ABSENT })
    .project<{ _id: mongo.ObjectId; folded: string }>({ folded: FOLDED_BY_DATABASE })
    .toArray();
  const claimants = new Map(unclaimed.map(({ _id, folded }) => [folded, _id]));
  const claimed = await links
    .find({ folded_claim: { $in: [...claimants.keys()] } })
    .project<{ folded_claim: string }>({ _id: 0, folded_claim: 1 })
    .toArray();
  for (const { folded_claim } of claimed) claimants.delete(folded_claim);
  return [...claimants.values()];
}
