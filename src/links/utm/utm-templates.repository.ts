import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Model, Types } from 'mongoose';
import { isDuplicateKey } from '../../common/database-fault';
import { UTM_FIELDS } from '../../destinations/utm';
import type { NewUtmTemplate, UtmTemplate, UtmTemplateChange } from './utm-template';
import { toUtmTemplate, UtmTemplateRecord } from './utm-template.schema';

@Injectable()
export class UtmTemplatesRepository {
  constructor(
    @InjectModel(UtmTemplateRecord.name) private readonly templates: Model<UtmTemplateRecord>,
  ) {}

  async findByOwner(ownerId: string): Promise<UtmTemplate[]> {
    const records = await this.templates.find({ owner: ownerId }).lean<UtmTemplateRecord[]>();
    return records.map(toUtmTemplate);
  }

  async findOwn(id: string, ownerId: string): Promise<UtmTemplate | null> {
    const record = await this.templates.findOne(ownedBy(id, ownerId)).lean<UtmTemplateRecord>();
    return record === null ? null : toUtmTemplate(record);
  }

  async takenPlaces(ownerId: string): Promise<Set<number>> {
    const places = this.templates.find({ owner: ownerId }, { place: 1 });
    return new Set((await places.lean<{ place: number }[]>()).map(({ place }) => place));
  }

  /** Returns null if a concurrent insert took the place. */
  async insert(
    { id, ...template }: NewUtmTemplate & Pick<UtmTemplate, 'id'>,
    ownerId: string,
    place: number,
    now: Date,
  ): Promise<UtmTemplate | null> {
    const record: UtmTemplateRecord = {
      _id: new Types.ObjectId(id),
      owner: new Types.ObjectId(ownerId),
      ...template,
      created_at: now,
      place,
    };
    try {
      await this.templates.create([record]);
    } catch (error) {
      if (isDuplicateKey(error)) return null;
      throw error;
    }
    return toUtmTemplate(record);
  }

  /** Returns null if nothing changed or the template would have no value left. */
  async change(
    id: string,
    ownerId: string,
    change: UtmTemplateChange,
  ): Promise<UtmTemplate | null> {
    const kept = UTM_FIELDS.filter((field) => change[field] === undefined);
    const isLeft = UTM_FIELDS.some((field) => typeof change[field] === 'string')
      ? {}
      : { $or: kept.map((field) => ({ [field]: { $ne: null } })) };
    if (kept.length === 0 && '$or' in isLeft) return null;
    const record = await this.templates
      .findOneAndUpdate(
        { ...ownedBy(id, ownerId), ...isLeft },
        { $set: change },
        { returnDocument: 'after' },
      )
      .lean<UtmTemplateRecord>();
    return record === null ? null : toUtmTemplate(record);
  }

  /** Returns whether the template existed. */
  async remove(id: string, ownerId: string): Promise<boolean> {
    return (await this.templates.deleteOne(ownedBy(id, ownerId))).deletedCount > 0;
  }

  async removeByAccount(ownerId: string): Promise<void> {
    await this.templates.deleteMany({ owner: ownerId });
  }
}

const ownedBy = (id: string, owner: string) => ({ _id: id, owner });
