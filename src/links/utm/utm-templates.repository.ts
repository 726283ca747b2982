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

  /** The owner's template with this id; null when there is none or it is another's. */
  async findOwn(id: string, ownerId: string): Promise<UtmTemplate | null> {
    const record = await this.templates.findOne(ownedBy(id, ownerId)).lean<UtmTemplateRecord>();
    return record === null ? null : toUtmTemplate(record);
  }

  /** Places that the owner's templates take. */
  async takenPlaces(ownerId: string): Promise<Set<number>> {
    const places = this.templates.find({ owner: ownerId }, { place: 1 });
    return new Set((await places.lean<{ place: number }[]>()).map(({ place }) => place));
  }

  /** Stores the template in a place; null when another one has just taken it. */
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

  /** Changes the template unless it would be left without a value; null when nothing was changed. */
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

  /** Whether it was there. */
  async remove(id: string, ownerId: string): Promise<boolean> {
    return (await this.templates.deleteOne(ownedBy(id, ownerId))).deletedCount > 0;
  }

  /** Removes all of the account (docs/contract.md#24.12). */
  async removeByAccount(ownerId: string): Promise<void> {
    await this.templates.deleteMany({ owner: ownerId });
  }
}

const ownedBy = (id: string, owner: string) => ({ _id: id, owner });
