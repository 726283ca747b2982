import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Model, Types } from 'mongoose';
import { LinkRecord } from '../../links/link.schema';

/** What statistics ask of the links of an account. */
@Injectable()
export class OwnedLinksRepository {
  constructor(@InjectModel(LinkRecord.name) private readonly links: Model<LinkRecord>) {}

  /** Creation time of the account's oldest link, in milliseconds; null when it has none. */
  async oldestCreation(ownerId: string): Promise<number | null> {
    const oldest = await this.links
      .findOne({ owner: new Types.ObjectId(ownerId) }, { created_at: 1 })
      .sort({ created_at: 1 })
      .lean<Pick<LinkRecord, 'created_at'>>();
    return oldest?.created_at.getTime() ?? null;
  }
}
