import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Model, Types } from 'mongoose';
import { isDuplicateKey } from '../common/database-fault';
import type { Generation, Link } from './link';
import { toLink } from './link.schema';
import { LinkRecord } from './link.schema';
import { AliasTakenError } from './links.errors';

/** A link to be stored; everything is checked already. */
export interface NewLink {
  readonly alias: string;
  readonly longUrl: string;
  readonly ownerId: string | null;
  readonly generation: Generation;
  readonly passwordHash: string | null;
  readonly maxClicks: number | null;
  readonly expireAfter: Date | null;
  readonly blockBots: boolean;
  readonly privateStats: boolean;
}

/** Writes links; the unique index on alias decides between concurrent requests. */
@Injectable()
export class LinksRepository {
  constructor(@InjectModel(LinkRecord.name) private readonly links: Model<LinkRecord>) {}

  /** Stores the link, durably; throws AliasTakenError when the alias is another link's. */
  async insert(link: NewLink, now: Date): Promise<Link> {
    const _id = new Types.ObjectId();
    const record: Omit<LinkRecord, '_id' | 'touched_at'> = {
      alias: link.alias,
      long_url: link.longUrl,
      owner: link.ownerId === null ? null : new Types.ObjectId(link.ownerId),
      generation: link.generation,
      created_at: now,
      updated_at: null,
      status: 'ACTIVE',
      closed_by_limit: false,
      password_hash: link.passwordHash,
      max_clicks: link.maxClicks,
      slots_taken: 0,
      slots_from: null,
      expire_after: link.expireAfter,
      block_bots: link.blockBots,
      private_stats: link.privateStats,
      total_clicks: 0,
      open_clicks: 0,
      last_click: null,
    };
    try {
      // An upsert, because an insert could not be stamped with the database's own time.
      await this.links.updateOne(
        { _id },
        { $setOnInsert: record, $currentDate: { touched_at: true } },
        { upsert: true },
      );
    } catch (error) {
      if (isDuplicateKey(error)) throw new AliasTakenError(link.alias);
      throw error;
    }
    return toLink({ _id, ...record });
  }
}
