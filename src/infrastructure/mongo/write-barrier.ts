import type { Connection, Schema } from 'mongoose';
import { DatabaseUnavailableError } from '../../common/errors';

/** Options of writes that must survive the loss of a machine: on the disks of the majority. */
export const DURABLE = { writeConcern: { w: 'majority' as const, j: true } };

/** Whether a connection may be written to; the connector says so. */
export class DatabaseReadiness {
  indexesMade = false;
  /** Advice for the operator about the indexes, where there is some. */
  hint: string | null = null;

  refuseWritesWithoutIndexes(): void {
    if (this.indexesMade) return;
    throw new DatabaseUnavailableError(new Error('The indexes are not made yet'));
  }
}

const QUERIES = [
  'updateOne',
  'updateMany',
  'replaceOne',
  'findOneAndUpdate',
  'findOneAndReplace',
  'findOneAndDelete',
  'deleteOne',
  'deleteMany',
] as const;

/**
 * Makes every model of a connection refuse to write until the indexes are made: without the
 * unique indexes two links could have one alias, and the index could never be made again.
 *
 * It stands in the connection, so that no model can forget it; a repository that goes past the
 * models asks `DatabaseReadiness` itself. A write that needs no index
 * (it counts in one document, found by its `_id`) may step past it with `WITHOUT_INDEXES`.
 */
export function refuseWritesWithoutIndexes(
  connection: Connection,
  readiness: DatabaseReadiness,
): void {
  const check = (): void => readiness.refuseWritesWithoutIndexes();
  connection.plugin((schema: Schema) => {
    schema.pre('save', check);
    schema.pre('insertMany', check);
    schema.pre('bulkWrite', check);
    for (const query of QUERIES) schema.pre(query, { query: true, document: false }, check);
    schema.pre('updateOne', { document: true, query: false }, check);
    schema.pre('deleteOne', { document: true, query: false }, check);
  });
}

/** Query options of a write that is right without any index. */
export const WITHOUT_INDEXES = { middleware: { pre: false } } as const;
