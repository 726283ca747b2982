import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { SchemaTypes, Types } from 'mongoose';
import {
  coarser,
  type CountedDimension,
  type CountUnit,
  type ImportedCounts,
  type ValueClicks,
} from './imported-counts';

/** Fits into a document of 16 MB, because 20 years of hours take 6 MB. */
export const MAX_STORED_UNITS = 180_000;
const MAX_VALUE_BYTES = 256 * 1024;
const MAX_VALUE = 500;
/** Overhead per value, in bytes, besides its text. */
const VALUE_BYTES = 32;

/** Stored as arrays, because strings from visitors may be invalid as field names. */
interface StoredValues {
  values: string[];
  clicks: number[];
}

/** `_id` is the link's id. */
@Schema({
  collection: 'imported_counts',
  versionKey: false,
  autoIndex: false,
  autoCreate: false,
  minimize: false,
})
export class ImportedCountsRecord {
  @Prop({ required: true, type: SchemaTypes.ObjectId }) _id!: Types.ObjectId;
  @Prop({ required: true, type: SchemaTypes.ObjectId }) import!: Types.ObjectId;
  @Prop({ required: true, type: SchemaTypes.ObjectId }) owner!: Types.ObjectId;
  @Prop({ required: true, type: String }) source!: string;
  @Prop({ required: true, type: Number }) clicks!: number;
  @Prop({ required: true, type: Boolean }) detailed!: boolean;
  @Prop({ required: true, type: String }) granularity!: CountUnit;
  @Prop({ required: true, type: String }) timezone!: string;
  @Prop({ type: Date, default: null }) from!: Date | null;
  @Prop({ type: Date, default: null }) to!: Date | null;

  /** Unit starts in milliseconds, and the number of clicks in each unit. */
  @Prop({ required: true, type: SchemaTypes.Mixed }) time!: { starts: number[]; clicks: number[] };

  @Prop({ required: true, type: SchemaTypes.Mixed })
  by!: Partial<Record<CountedDimension, StoredValues>>;

  /** Present if the source lists visits: their total, the number imported, and the last page. */
  @Prop({ type: SchemaTypes.Mixed }) singles?: { total: number; taken: number; page: number };
}

export const ImportedCountsSchema = SchemaFactory.createForClass(ImportedCountsRecord);
// This index contains all fields needed to sum an account's totals, and to list them by link.
ImportedCountsSchema.index(
  { owner: 1, detailed: 1, source: 1, clicks: 1, _id: 1 },
  { name: 'owner_clicks' },
);
ImportedCountsSchema.index({ import: 1, clicks: 1 }, { name: 'import' });

/** Stores a number that increases with every change to an account's counts. */
@Schema({
  collection: 'imported_revisions',
  versionKey: false,
  autoIndex: false,
  autoCreate: false,
})
export class CountsRevisionRecord {
  @Prop({ required: true, type: SchemaTypes.ObjectId }) _id!: Types.ObjectId;
  @Prop({ required: true, type: Number }) revision!: number;

  /** Sums of earlier revisions include clicks that have been deleted, and must not be shown. */
  @Prop({ type: Number }) floor?: number;
}

export const CountsRevisionSchema = SchemaFactory.createForClass(CountsRevisionRecord);

/** To fit into a document, long series get longer units and rare values are dropped. */
export function toCountsRecord(given: ImportedCounts): ImportedCountsRecord {
  let counts = given;
  while (counts.units.starts.length > MAX_STORED_UNITS) counts = coarser(counts);
  const { linkId, importId, ownerId, source, clicks, granularity, timezone, units, by } = counts;
  return {
    _id: new Types.ObjectId(linkId),
    import: new Types.ObjectId(importId),
    owner: new Types.ObjectId(ownerId),
    source,
    clicks,
    detailed: units.starts.length > 0 || Object.keys(by).length > 0,
    granularity,
    timezone,
    from: counts.from === null ? null : new Date(counts.from),
    to: counts.to === null ? null : new Date(counts.to),
    time: { starts: [...units.starts], clicks: [...units.clicks] },
    by: mapped(by, toStoredValues),
  };
}

export function toCounts(record: ImportedCountsRecord): ImportedCounts {
  return {
    linkId: record._id.toHexString(),
    importId: record.import.toHexString(),
    ownerId: record.owner.toHexString(),
    source: record.source,
    clicks: record.clicks,
    granularity: record.granularity,
    timezone: record.timezone,
    from: record.from?.getTime() ?? null,
    to: record.to?.getTime() ?? null,
    units: record.time,
    by: mapped(record.by, ({ values, clicks }) => {
      return new Map(values.map((value, at) => [value, clicks[at] ?? 0]));
    }),
  };
}

/** Returns a stored value's bytes, or Infinity if the value is too long to be stored. */
function storedValueBytes(value: string): number {
  return value.length > MAX_VALUE ? Infinity : VALUE_BYTES + Buffer.byteLength(value);
}

function toStoredValues(counted: ValueClicks): StoredValues {
  const stored: StoredValues = { values: [], clicks: [] };
  let bytes = 0;
  for (const [value, clicks] of [...counted].sort(([, a], [, b]) => b - a)) {
    const room = storedValueBytes(value);
    if (room === Infinity) continue;
    bytes += room;
    if (bytes > MAX_VALUE_BYTES) break;
    stored.values.push(value);
    stored.clicks.push(clicks);
  }
  return stored;
}

function mapped<From, To>(
  by: Readonly<Partial<Record<CountedDimension, From>>>,
  map: (from: From) => To,
): Partial<Record<CountedDimension, To>> {
  return Object.fromEntries(Object.entries(by).map(([name, value]) => [name, map(value)]));
}
