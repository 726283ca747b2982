import type { QueryFilter, SortOrder, Types } from 'mongoose';

interface Query {
  lean(): PromiseLike<unknown>;
}

/** The model methods that are used here. */
interface Stored {
  find(filter: object, projection: object | null, options: object): Query;
  countDocuments(filter: object, options: object): PromiseLike<number>;
}

/** Matches texts that contain the given text. */
export const containing = (text: string): { $regex: string } => ({
  $regex: text.replace(/[.[\]\\^$*+?(){}|]/g, '\\$&'),
});

export async function findIds<Document>(
  model: Stored,
  filter: QueryFilter<Document>,
  options = {},
): Promise<string[]> {
  const found = await model.find(filter, { _id: 1 }, options).lean();
  return (found as { _id: Types.ObjectId }[]).map(({ _id }) => _id.toHexString());
}

interface PageOptions {
  readonly sort: Record<string, SortOrder>;
  readonly page: number;
  readonly pageSize: number;
  /** A slower query throws (`isOverTime`). */
  readonly maxTimeMS?: number;
}

export async function findPage<Document>(
  model: Stored,
  filter: QueryFilter<Document>,
  { sort, page, pageSize, ...limits }: PageOptions,
): Promise<{ records: Document[]; total: number }> {
  const options = { sort, skip: (page - 1) * pageSize, limit: pageSize, ...limits };
  const [records, total] = await Promise.all([
    model.find(filter, null, options).lean() as PromiseLike<Document[]>,
    model.countDocuments(filter, limits),
  ]);
  return { records, total };
}
