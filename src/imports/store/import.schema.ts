import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { type mongo, SchemaTypes, Types } from 'mongoose';
import type { CountSeries } from '../../stores/imported-counts/imported-counts';
import {
  type Import,
  type ImportColumn,
  type ImportFile,
  type ImportHistory,
  type ImportNote,
  type ImportOptions,
  type ImportProof,
  type ImportRow,
  type ImportSource,
  type ImportTrouble,
  type ImportVerdict,
} from './import';

/** An import as stored; its job has the same id. */
@Schema({
  collection: 'imports',
  versionKey: false,
  autoIndex: false,
  autoCreate: false,
  minimize: false,
})
export class ImportRecord {
  _id!: Types.ObjectId;

  @Prop({ required: true, type: SchemaTypes.ObjectId }) owner!: Types.ObjectId;
  @Prop({ required: true, type: String }) source!: ImportSource;
  @Prop({ required: true, type: SchemaTypes.Mixed }) options!: ImportOptions;
  @Prop({ type: SchemaTypes.Mixed, default: null }) file!: ImportFile | null;
  @Prop({ type: String, default: null }) base_url!: string | null;
  @Prop({ type: Buffer, default: null }) credential!: Buffer | mongo.Binary | null;
  @Prop({ type: SchemaTypes.Mixed }) trouble?: ImportTrouble | null;
  @Prop({ type: Date }) run_at?: Date;
  @Prop({ type: Date }) synced_at?: Date;
  @Prop({ type: Number }) visit_step?: number;
  @Prop({ type: Number }) requests?: number;
  @Prop({ required: true, type: SchemaTypes.Mixed }) columns!: ImportColumn[];
  @Prop({ required: true, type: Boolean }) dry_run!: boolean;
  @Prop({ required: true, type: SchemaTypes.Mixed }) notes!: Partial<Record<ImportNote, number>>;
  @Prop({ required: true, type: SchemaTypes.Mixed }) history!: ImportHistory;
  @Prop({ type: SchemaTypes.Mixed, default: null }) proof!: ImportProof | null;
  @Prop({ type: SchemaTypes.ObjectId, default: null }) same_file_as!: Types.ObjectId | null;

  /** Absent until clicks are recorded. */
  @Prop({ type: Boolean }) has_clicks?: true;

  /** Start of the last run of which the owner was notified; absent before the first. */
  @Prop({ type: Date }) told_run?: Date;

  /** Slot among the account's unfinished imports; may still be set after the job has ended. */
  @Prop({ type: Number }) place?: number;

  /** When the slot was taken; unset once the job is queued. */
  @Prop({ type: Date }) placed_at?: Date;
  @Prop({ required: true, type: Date }) created_at!: Date;
}

export const ImportSchema = SchemaFactory.createForClass(ImportRecord);
ImportSchema.index({ owner: 1, created_at: -1 }, { name: 'owner' });
// Enforces the limit on unfinished imports for concurrent requests.
ImportSchema.index(
  { owner: 1, place: 1 },
  { unique: true, name: 'place', partialFilterExpression: { place: { $type: 'number' } } },
);

export function toImport(record: ImportRecord): Import {
  return {
    id: record._id.toHexString(),
    ownerId: record.owner.toHexString(),
    source: record.source,
    options: record.options,
    file: record.file,
    baseUrl: record.base_url,
    credential: toBuffer(record.credential),
    trouble: record.trouble ?? null,
    ranAt: record.run_at ?? null,
    syncedAt: record.synced_at ?? null,
    visitStep: record.visit_step ?? 0,
    requests: record.requests ?? 0,
    columns: record.columns,
    dryRun: record.dry_run,
    notes: record.notes,
    history: record.history,
    proof: record.proof,
    sameFileAs: record.same_file_as?.toHexString() ?? null,
    hasClicks: record.has_clicks ?? false,
    toldRun: record.told_run ?? null,
    createdAt: record.created_at,
  };
}

function toBuffer(value: Buffer | mongo.Binary | null): Buffer | null {
  if (value === null) return null;
  return Buffer.isBuffer(value) ? value : Buffer.from(value.buffer);
}

/** A row and its claim, which later rows use to find it. */
export interface ClaimingRow {
  readonly row: ImportRow;
  readonly claim: string | null;
  readonly clicks: number;
  /** Clicks by time and dimension; absent if the source reports only a total. */
  readonly counts?: CountSeries;
  readonly countsSource?: string;
  readonly visitsKey?: string;
  readonly sourceId?: string | null;
}

export interface RowHistory {
  readonly row: ImportRow;
  readonly total: number;
  readonly taken: number;
}

@Schema({ collection: 'import_rows', versionKey: false, autoIndex: false, autoCreate: false })
export class ImportRowRecord {
  /** Import, row and part; ids sort in row order. */
  @Prop({ required: true, type: String }) _id!: string;
  @Prop({ required: true, type: SchemaTypes.ObjectId }) import!: Types.ObjectId;
  @Prop({ required: true, type: String }) verdict!: ImportVerdict;
  @Prop({ type: [String], default: undefined }) notes?: ImportNote[];
  @Prop({ type: String }) alias?: string;
  @Prop({ type: String }) long_url?: string;
  @Prop({ type: String }) message?: string;
  @Prop({ type: SchemaTypes.ObjectId }) link?: Types.ObjectId;

  /** Finds duplicates: the alias or, without an alias, an index among equal destinations. */
  @Prop({ type: String }) claim?: string;

  /** The source's key for visits to this link. */
  @Prop({ type: String }) visits_key?: string;

  /** Number of clicks that the source reports; absent if zero. */
  @Prop({ type: Number }) clicks?: number;

  /** Number of imported visits, and the last page that contained visits for this row. */
  @Prop({ type: SchemaTypes.Mixed }) visits?: { taken: number; page: number };
}

export const ImportRowSchema = SchemaFactory.createForClass(ImportRowRecord);
ImportRowSchema.index({ import: 1, verdict: 1, _id: 1 }, { name: 'verdict' });
ImportRowSchema.index(
  { import: 1, notes: 1, _id: 1 },
  { name: 'notes', partialFilterExpression: { notes: { $exists: true } } },
);
// With this index, an import does not have to hold all rows' aliases in memory.
ImportRowSchema.index(
  { import: 1, claim: 1 },
  { name: 'claim', partialFilterExpression: { claim: { $exists: true } } },
);
ImportRowSchema.index(
  { import: 1, visits_key: 1 },
  { name: 'visits_key', partialFilterExpression: { visits_key: { $exists: true } } },
);

export function rowId(importId: string, row: number, part: number): string {
  return `${importId}/${String(row).padStart(10, '0')}/${part}`;
}

export function toImportRow(record: ImportRowRecord): ImportRow {
  const [, row, part] = record._id.split('/');
  return {
    row: Number(row),
    part: Number(part),
    alias: record.alias ?? null,
    longUrl: record.long_url ?? null,
    verdict: record.verdict,
    notes: record.notes ?? [],
    message: record.message ?? null,
    linkId: record.link?.toHexString() ?? null,
  };
}

export function toRowHistory(record: ImportRowRecord): RowHistory {
  const { clicks: total = 0, visits } = record;
  return { row: toImportRow(record), total, taken: visits?.taken ?? 0 };
}

export function toRowRecord(
  importId: string,
  { row, claim, clicks, visitsKey }: ClaimingRow,
): ImportRowRecord {
  return {
    _id: rowId(importId, row.row, row.part),
    import: new Types.ObjectId(importId),
    verdict: row.verdict,
    ...(row.notes.length > 0 && { notes: [...row.notes] }),
    ...(row.alias !== null && { alias: row.alias }),
    ...(row.longUrl !== null && { long_url: row.longUrl }),
    ...(row.message !== null && { message: row.message }),
    ...(row.linkId !== null && { link: new Types.ObjectId(row.linkId) }),
    ...(claim !== null && { claim }),
    ...(clicks > 0 && { clicks }),
    ...(visitsKey !== undefined && { visits_key: visitsKey }),
  };
}
