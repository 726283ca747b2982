import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { SchemaTypes, Types } from 'mongoose';
import { coarser } from './count-units';
import type { CountedDimension, CountUnit, ImportedCounts, ValueClicks } from './imported-counts';

/** Units and texts of values that a document has room for: 20 years of hours take 6 of its 16 MB. */
export const MAX_STORED_UNITS = 180_000;
/** Room that values of a dimension have. */
export const MAX_VALUE_BYTES = 256 * 1024;
const MAX_VALUE = 500;
/** Bytes of a value beside its text. */
const VALUE_BYTES = 32;

/** Values beside their clicks: texts of visitors can be no names of fields. */
interface StoredValues {
  values: string[];
  clicks: number[];
}

/** Stored form of the counts of one link, whose id it has. */
@Schema({
  collection: 'imported_counts',
  versionKey: false,
  autoIndex: false,
  autoCreate: false,
  minimize: false,
})
export class ImportedCountsRecord {
  @Prop({ required: true, type: SchemaTypes.ObjectId })
  _id!: Types.ObjectId;

  @Prop({ required: true, type: SchemaTypes.ObjectId })
  import!: Types.ObjectId;

  @Prop({ required: true, type: SchemaTypes.ObjectId })
  owner!: Types.ObjectId;

  @Prop({ required: true, type: String })
  source!: string;

  @Prop({ required: true, type: Number })
  clicks!: number;

  /** Whether there is more than a total. */
  @Prop({ required: true, type: Boolean })
  detailed!: boolean;

  @Prop({ required: true, type: String })
  granularity!: CountUnit;

  @Prop({ required: true, type: String })
  timezone!: string;

  @Prop({ type: Date, default: null })
  from!: Date | null;

  @Prop({ type: Date, default: null })
  to!: Date | null;

  /** Milliseconds at which units begin, and their clicks. */
  @Prop({ required: true, type: SchemaTypes.Mixed })
  time!: { starts: number[]; clicks: number[] };

  @Prop({ required: true, type: SchemaTypes.Mixed })
  by!: Partial<Record<CountedDimension, StoredValues>>;

  /** Total of a source that tells single clicks too, those that were taken, and their last page. */
  @Prop({ type: SchemaTypes.Mixed })
  singles?: { total: number; taken: number; page: number };
}

export const ImportedCountsSchema = SchemaFactory.createForClass(ImportedCountsRecord);
// Holds all that the sum of an account's totals is made of.
ImportedCountsSchema.index({ owner: 1, detailed: 1, source: 1, clicks: 1 }, { name: 'owner' });
ImportedCountsSchema.index({ import: 1, clicks: 1 }, { name: 'import' });

/** Stored form of the number that rises whenever counts of an account change. */
@Schema({
  collection: 'imported_revisions',
  versionKey: false,
  autoIndex: false,
  autoCreate: false,
})
export class CountsRevisionRecord {
  /** Id of the account. */
  @Prop({ required: true, type: SchemaTypes.ObjectId })
  _id!: Types.ObjectId;

  @Prop({ required: true, type: Number })
  revision!: number;
}

export const CountsRevisionSchema = SchemaFactory.createForClass(CountsRevisionRecord);

/** Details that a document has no room for are left out: long series get longer units, rare values go. */
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

/** Bytes that a value takes; Infinity for one that is too long to be kept. */
export function storedValueBytes(value: string): number {
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
