import type { mongo } from 'mongoose';
import { isDuplicateKey, isMissingIndex } from '../../common/database-fault';
import { BsonFields } from '../../infrastructure/mongo/bson-fields';
import { collectWriteErrors } from '../../infrastructure/mongo/bulk-write';
import { foldKey } from './alias-form';
import type { NewLink } from './link';
import { ABSENT, LINKS_BATCH } from './link-collection.repository';
import { AliasTakenError } from './link.errors';
import type { LinkRecord } from './link.schema';

// Reads and writes of folded aliases (docs/contract.md#34.4), which several repositories use.

type Links = mongo.Collection<LinkRecord>;

export const BY_FOLD = 'folded_alias';

const FOLDED = new BsonFields<{ alias: string }>({
  folded_alias: (link, value) => (link.alias = value.text()),
});

/**
 * Returns up to two links per folded alias, which shows whether a link is the only one, and none
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

/** Counts aliases that several links have in different cases, and returns the first, folded. */
export async function findCollisions(
  links: Links,
  limit: number,
): Promise<{ count: number; first: string[] }> {
  // Covered by the index, whose order the hint determines.
  const cursor = links
    .find({ folded_alias: { $gte: '' } }, { hint: BY_FOLD, batchSize: LINKS_BATCH, raw: true })
    .project<Uint8Array>({ _id: 0, folded_alias: 1 });
  const first: string[] = [];
  let [count, last, isCounted] = [0, '', false];
  while (await cursor.hasNext()) {
    for (const document of cursor.readBufferedDocuments()) {
      const { alias } = FOLDED.read(document, { alias: '' });
      if (alias !== last) [last, isCounted] = [alias, false];
      else if (!isCounted) {
        isCounted = true;
        if (++count <= limit) first.push(alias);
      }
    }
  }
  return { count, first };
}

/** Adds folded aliases to links that have none, and the claims that are free. */
export async function foldAliases(links: Links, ids: readonly mongo.ObjectId[]): Promise<void> {
  if (ids.length === 0) return;
  // `$toLower` changes only the letters A to Z.
  const folded_alias = { $toLower: '$alias' };
  const update = [{ $set: { folded_alias, folded_claim: folded_alias } }];
  const unfolded = { _id: { $in: [...ids] }, folded_alias: ABSENT };
  // The other index contains all links that are still to be folded, in every step.
  const hint = { _id: 1 };
  const all = [{ updateMany: { filter: unfolded, update, hint } }];
  const each = ids.map((_id) => ({ updateOne: { filter: { ...unfolded, _id }, update, hint } }));
  const withoutClaims = [
    { updateMany: { filter: unfolded, update: [{ $set: { folded_alias } }], hint } },
  ];
  // A claim that another link has stops `all`, but only its own update in `each`.
  for (const writes of [all, each, withoutClaims]) {
    const errors = await collectWriteErrors(links.bulkWrite(writes, { ordered: false }));
    const failed = errors.find((error) => !isDuplicateKey(error));
    if (failed !== undefined) throw failed;
    if (errors.length === 0) return;
  }
}
