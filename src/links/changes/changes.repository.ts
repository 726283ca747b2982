import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Model } from 'mongoose';
import { isDuplicateKey } from '../../common/database-fault';
import { AliasTakenError } from '../links.errors';
import type { Link } from '../link';
import { toLink } from '../link.schema';
import { LinkRecord } from '../link.schema';
import { changePipeline, quotaActivatedPipeline } from './change.pipeline';
import type { LinkChange } from './link-change';

/** Changes stored links, each change with one update that sees what others have done. */
@Injectable()
export class ChangesRepository {
  constructor(@InjectModel(LinkRecord.name) private readonly links: Model<LinkRecord>) {}

  /**
   * Answers the link as it is then; null when it is gone or has not that alias any more. Throws
   * AliasTakenError when the new alias is another link's.
   */
  async apply(link: Link, change: LinkChange, now: Date, touch = false): Promise<Link | null> {
    try {
      return await this.update(
        { _id: link.id, alias: link.alias },
        changePipeline(change, now, touch),
      );
    } catch (error) {
      if (isDuplicateKey(error)) throw new AliasTakenError(change.alias ?? link.alias);
      throw error;
    }
  }

  /** Has a link give out its slots; null when it is gone. */
  settle(id: string, keepStatus: boolean): Promise<Link | null> {
    return this.update({ _id: id }, quotaActivatedPipeline(keepStatus));
  }

  private async update(
    which: { _id: string; alias?: string },
    pipeline: ReturnType<typeof changePipeline>,
  ): Promise<Link | null> {
    const record = await this.links
      .findOneAndUpdate(which, pipeline, { returnDocument: 'after', updatePipeline: true })
      .lean<LinkRecord>();
    return record === null ? null : toLink(record);
  }
}
