import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Model, Types } from 'mongoose';
import { isDuplicateKey } from '../common/database-fault';
import { writeErrorsOf } from '../infrastructure/mongo/bulk-write';
import { MAX_ENTRIES, type NewReportEntry } from './report';
import { ReportRecord, toEntryRecord } from './report.schema';

/** All but one of several that open the report of a link at once try again, and find it. */
const MAX_TRIES = 5;

/** The only reader and writer of the collection `reports`. */
@Injectable()
export class ReportsRepository {
  constructor(@InjectModel(ReportRecord.name) private readonly reports: Model<ReportRecord>) {}

  /** Adds each entry to the open report of its link, which is opened where there is none. */
  async add(entries: readonly NewReportEntry[]): Promise<void> {
    let left = entries;
    for (let tries = 1; left.length > 0; tries++) {
      const writes = left.map(addition);
      const errors = await writeErrorsOf(this.reports.bulkWrite(writes, { ordered: false }));
      const fault = errors.find((error) => tries === MAX_TRIES || !isDuplicateKey(error));
      if (fault !== undefined) throw fault;
      left = errors.flatMap(({ index }) => left[index] ?? []);
    }
  }

  /** Number of open reports, counted up to so many. */
  countOpen(enough: number): Promise<number> {
    return this.reports.countDocuments({ state: 'open' }, { limit: enough });
  }

  /** How often each of these links was reported, by its id, as far as its report is open. */
  async openCounts(linkIds: readonly string[]): Promise<Map<string, number>> {
    const open = await this.reports
      .find({ link: { $in: [...linkIds] }, state: 'open' }, { link: 1, count: 1 })
      .lean<Pick<ReportRecord, 'count' | 'link'>[]>();
    return new Map(open.map(({ link, count }) => [link.toHexString(), count]));
  }
}

function addition({ linkId, entry }: NewReportEntry) {
  return {
    updateOne: {
      filter: { link: new Types.ObjectId(linkId), state: 'open' as const },
      update: {
        $inc: { count: 1, [`reasons.${entry.reason}`]: 1 },
        $max: { last_at: entry.at },
        $setOnInsert: { first_at: entry.at },
        $push: { entries: { $each: [toEntryRecord(entry)], $slice: -MAX_ENTRIES } },
      },
      upsert: true,
    },
  };
}
