import { Injectable } from '@nestjs/common';
import { InjectModel, Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { Model, SchemaTypes, Types } from 'mongoose';

const LINKS_A_REMOVAL = 5000;

export interface SeenVisits {
  /** Number of visits that the service listed when they were last read. */
  readonly count: number;
  /** Second of the newest visit, in milliseconds; null if there are no visits. */
  readonly second: number | null;
  /** Digests of the visits in that second, used to recognise them in the next run. */
  readonly digests: readonly string[];
  readonly taken: number;
  readonly dropped: number;
}

export const NOTHING_SEEN: SeenVisits = {
  count: 0,
  second: null,
  digests: [],
  taken: 0,
  dropped: 0,
};

export interface ImportedLink {
  readonly id: string;
  readonly sourceId: string;
  readonly visits: number;
  /** Last step that imported visits, with the state before and after the step. */
  readonly step: number;
  readonly before: SeenVisits;
  readonly after: SeenVisits;
}

/** A row's link; `isMade` is true if this import created the link. */
export interface NotedLink extends Pick<ImportedLink, 'id' | 'sourceId' | 'visits'> {
  readonly isMade: boolean;
}

@Schema({ collection: 'import_links', versionKey: false, autoIndex: false, autoCreate: false })
export class ImportedLinkRecord {
  @Prop({ required: true, type: SchemaTypes.ObjectId }) _id!: Types.ObjectId;
  @Prop({ required: true, type: SchemaTypes.ObjectId }) import!: Types.ObjectId;
  @Prop({ required: true, type: String }) source_id!: string;
  @Prop({ required: true, type: Number }) visits!: number;
  @Prop({ type: Number }) step?: number;
  @Prop({ type: SchemaTypes.Mixed }) before?: SeenVisits;
  @Prop({ type: SchemaTypes.Mixed }) after?: SeenVisits;
}

export const ImportedLinkSchema = SchemaFactory.createForClass(ImportedLinkRecord);
ImportedLinkSchema.index({ import: 1, _id: 1 }, { name: 'import' });

/** With these records, a sync does not import links again that were deleted here. */
@Injectable()
export class ImportedLinksRepository {
  constructor(
    @InjectModel(ImportedLinkRecord.name) private readonly links: Model<ImportedLinkRecord>,
  ) {}

  async note(importId: string, notedLinks: readonly NotedLink[]): Promise<void> {
    if (notedLinks.length === 0) return;
    const owner = new Types.ObjectId(importId);
    const writes = notedLinks.map(({ id, sourceId, visits, isMade }) => ({
      updateOne: {
        filter: { _id: new Types.ObjectId(id), import: owner },
        update: { $set: { source_id: sourceId, visits } },
        upsert: isMade,
      },
    }));
    await this.links.bulkWrite(writes, { ordered: false });
  }

  /** Returns the ids that were imported from a service, even if the link was deleted later. */
  async known(ids: readonly string[]): Promise<Set<string>> {
    const found = await this.links
      .find({ _id: { $in: ids.map((id) => new Types.ObjectId(id)) } }, { _id: 1 })
      .lean<{ _id: Types.ObjectId }[]>();
    return new Set(found.map(({ _id }) => _id.toHexString()));
  }

  async taken(ids: readonly string[]): Promise<Map<string, number>> {
    const found = await this.links
      .find({ _id: { $in: ids.map((id) => new Types.ObjectId(id)) }, 'after.taken': { $gt: 0 } })
      .lean<ImportedLinkRecord[]>();
    return new Map(found.map((record) => [record._id.toHexString(), record.after?.taken ?? 0]));
  }

  async after(importId: string, id: string | null, limit: number): Promise<ImportedLink[]> {
    const records = await this.links
      .find({
        import: new Types.ObjectId(importId),
        ...(id !== null && { _id: { $gt: new Types.ObjectId(id) } }),
      })
      .sort({ _id: 1 })
      .limit(limit)
      .lean<ImportedLinkRecord[]>();
    return records.map(toImportedLink);
  }

  async keepSeen(
    id: string,
    { step, before, after }: Pick<ImportedLink, 'after' | 'before' | 'step'>,
  ): Promise<void> {
    await this.links.updateOne({ _id: id }, { $set: { step, before, after } });
  }

  /** The links count as without visits, none of which have been imported. */
  async forget(ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    await this.links.updateMany(
      { _id: { $in: ids.map((id) => new Types.ObjectId(id)) } },
      { $set: { visits: 0 }, $unset: { step: 1, before: 1, after: 1 } },
    );
  }

  async sums(importId: string): Promise<{ taken: number; dropped: number }> {
    const [found] = await this.links.aggregate<{ taken: number; dropped: number }>([
      { $match: { import: new Types.ObjectId(importId) } },
      {
        $group: {
          _id: null,
          taken: { $sum: '$after.taken' },
          dropped: { $sum: '$after.dropped' },
        },
      },
    ]);
    return { taken: found?.taken ?? 0, dropped: found?.dropped ?? 0 };
  }

  async clear(importId: string): Promise<void> {
    for (;;) {
      const batch = await this.links
        .find({ import: new Types.ObjectId(importId) }, { _id: 1 })
        .limit(LINKS_A_REMOVAL)
        .lean<{ _id: Types.ObjectId }[]>();
      if (batch.length === 0) return;
      await this.links.deleteMany({ _id: { $in: batch.map(({ _id }) => _id) } });
    }
  }
}

function toImportedLink(record: ImportedLinkRecord): ImportedLink {
  return {
    id: record._id.toHexString(),
    sourceId: record.source_id,
    visits: record.visits,
    step: record.step ?? 0,
    before: record.before ?? NOTHING_SEEN,
    after: record.after ?? NOTHING_SEEN,
  };
}
