import type { Connection, Schema } from 'mongoose';
import { DatabaseUnavailableError } from '../../common/errors';

/** Options for writes that must survive losing a server. */
export const DURABLE = { writeConcern: { w: 'majority' as const, j: true } };

export class DatabaseReadiness {
  indexesMade = false;
  hint: string | null = null;

  refuseWritesWithoutIndexes(): void {
    if (this.indexesMade) return;
    throw new DatabaseUnavailableError(new Error('The indexes do not exist yet'));
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
 * Makes all models refuse writes until the indexes exist: without unique indexes, duplicate
 * aliases could be stored and prevent the indexes from being created. Repositories without a
 * model check `DatabaseReadiness`; writes that do not need an index can use `WITHOUT_INDEXES`.
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

export const WITHOUT_INDEXES = { middleware: { pre: false } } as const;
