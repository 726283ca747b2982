import { mongo } from 'mongoose';
import { DatabaseUnavailableError } from '../../common/errors';
import { type LinkRecord, LINKS } from './link.schema';

/** Small enough that decoding a batch blocks the process for only a few milliseconds. */
export const LINKS_BATCH = 1000;
export const BY_CREATION = 'owner_created';
export const ABSENT = { $exists: false } as const;
export const NOT_BLOCKED = { blocked: ABSENT } as const;

export type LinkFields = Readonly<Partial<Record<keyof LinkRecord, 1>>>;

/**
 * Base of plain classes, because the recorder, the audit and the statistics thread run without
 * Nest. Does not use mongoose, which decodes documents several times more slowly.
 */
export abstract class LinkCollection {
  /** @param ignoresCase whether aliases match in any case (docs/contract.md#34.4) */
  constructor(
    private readonly database: { readonly db: mongo.Db | undefined },
    readonly ignoresCase = false,
  ) {}

  /** Returns the ids for which no link exists. */
  async missing(ids: readonly string[]): Promise<string[]> {
    if (ids.length === 0) return [];
    const found = this.links.find(among(ids)).project<Pick<LinkRecord, '_id'>>({ _id: 1 });
    const known = new Set((await found.toArray()).map(({ _id }) => _id.toHexString()));
    return ids.filter((id) => !known.has(id));
  }

  protected async findAliases(
    which: mongo.Filter<LinkRecord>,
    options: mongo.FindOptions,
  ): Promise<{ id: string; alias: string }[]> {
    const found = this.links.find(which, { projection: { alias: 1 }, ...options });
    return (await found.toArray()).map(({ _id, alias }) => ({ id: _id.toHexString(), alias }));
  }

  /** Yields batches of raw BSON, because the driver takes ten times as long to decode documents. */
  protected async *documents(
    filter: mongo.Filter<LinkRecord>,
    fields: LinkFields,
    hint?: mongo.Hint,
    batchSize = LINKS_BATCH,
  ): AsyncGenerator<Uint8Array[]> {
    const cursor = this.links
      .find(filter, { hint, batchSize, raw: true })
      .project<Uint8Array>(fields);
    // The database reads the next batch while the caller parses this one.
    const request = (): Promise<boolean> => {
      const hasNext = cursor.hasNext();
      hasNext.catch(() => undefined);
      return hasNext;
    };
    let next = request();
    try {
      while (await next) {
        const batch = cursor.readBufferedDocuments();
        next = request();
        yield batch;
      }
    } finally {
      await next.catch(() => undefined);
      await cursor.close();
    }
  }

  protected get db(): mongo.Db {
    const { db } = this.database;
    if (db === undefined) throw new DatabaseUnavailableError();
    return db;
  }

  /** For reads, and for writes by id that change no indexed field in a single document. */
  protected get links(): mongo.Collection<LinkRecord> {
    return this.db.collection<LinkRecord>(LINKS);
  }
}

export function objectId(id: string): mongo.ObjectId {
  return new mongo.ObjectId(id);
}

export function among(ids: readonly string[]): { _id: { $in: mongo.ObjectId[] } } {
  return { _id: { $in: ids.map(objectId) } };
}
