import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Model, Types } from 'mongoose';
import { findPage } from '../../infrastructure/mongo/find';
import { isDuplicateKey } from '../../common/database-fault';
import { DAY_MS } from '../../common/time';
import { collectWriteErrors } from '../../infrastructure/mongo/bulk-write';
import {
  MAX_ENTRIES,
  type NewReportEntry,
  type Report,
  type ReportEntry,
  type ReportEnd,
  type ReportState,
} from './report';
import { ReportRecord, toEntryRecord, toReport } from './report.schema';

/** How long the names, addresses and texts of reporters are kept after a report is closed. */
const REPORTS_KEPT_MS = 30 * DAY_MS;

/** All but one of several concurrent inserts for a link fail; their retry finds the open report. */
const MAX_TRIES = 5;

@Injectable()
export class ReportsRepository {
  constructor(@InjectModel(ReportRecord.name) private readonly reports: Model<ReportRecord>) {}

  /** Adds entries, and opens reports if needed. Returns whether it opened any. */
  async add(entries: readonly NewReportEntry[]): Promise<boolean> {
    let opened = 0;
    let left = entries;
    for (let tries = 1; left.length > 0; tries++) {
      const writes = left.map(addition);
      const write = this.reports.bulkWrite(writes, { ordered: false });
      const errors = await collectWriteErrors(
        write.then(({ upsertedCount }) => (opened += upsertedCount)),
      );
      const fault = errors.find((error) => tries === MAX_TRIES || !isDuplicateKey(error));
      if (fault !== undefined) throw fault;
      left = errors.flatMap(({ index }) => left[index] ?? []);
    }
    return opened > 0;
  }

  /** Stops as soon as the count reaches `enough`. */
  countOpen(enough: number): Promise<number> {
    return this.reports.countDocuments({ state: 'open' }, { limit: enough });
  }

  /** Returns the number of entries in open reports by link id. */
  async openCounts(linkIds: readonly string[]): Promise<Map<string, number>> {
    const open = await this.reports
      .find({ link: { $in: [...linkIds] }, state: 'open' }, { link: 1, count: 1 })
      .lean<Pick<ReportRecord, 'count' | 'link'>[]>();
    return new Map(open.map(({ link, count }) => [link.toHexString(), count]));
  }

  /** Returns the account's own entries, oldest first. */
  async entriesOf(
    accountId: string,
    now: Date,
  ): Promise<{ readonly linkId: string; readonly entry: ReportEntry }[]> {
    const account = new Types.ObjectId(accountId);
    const found = await this.reports.find({ 'entries.account': account }).lean<ReportRecord[]>();
    return found
      .map((record) => toReport(record, now))
      .flatMap(({ linkId, entries }) => entries.map((entry) => ({ linkId, entry })))
      .filter(({ entry }) => entry.reporter.accountId === accountId)
      .sort((a, b) => a.entry.at.getTime() - b.entry.at.getTime());
  }

  async findById(id: string, now: Date): Promise<Report | null> {
    const record = await this.reports.findById(id).lean<ReportRecord>();
    return record === null ? null : toReport(record, now);
  }

  /** Returns reports, newest first. @param state null for all states */
  async page(
    state: ReportState | null,
    { page, pageSize }: { readonly page: number; readonly pageSize: number },
    now: Date,
  ): Promise<{ reports: Report[]; total: number }> {
    const wanted = state === null ? {} : { state };
    const options = { sort: { first_at: -1, _id: -1 }, page, pageSize } as const;
    const { records, total } = await findPage<ReportRecord>(this.reports, wanted, options);
    return { reports: records.map((record) => toReport(record, now)), total };
  }

  /** Returns null if the report is not open or does not exist. */
  async close(
    id: string,
    state: Exclude<ReportState, 'open'>,
    { at, by, reason }: ReportEnd,
  ): Promise<Report | null> {
    const closed = { at, by: by === null ? null : new Types.ObjectId(by), reason };
    const forget_at = new Date(at.getTime() + REPORTS_KEPT_MS);
    const record = await this.reports
      .findOneAndUpdate(
        { _id: id, state: 'open' },
        { $set: { state, closed, forget_at }, $unset: { untold: '' } },
        { returnDocument: 'after' },
      )
      .lean<ReportRecord>();
    return record === null ? null : toReport(record, at);
  }

  /** Deletes reporters and their texts from closed reports when due. */
  async forget(now: Date): Promise<void> {
    const texts = ['details', 'email', 'org', 'account'].map((name) => [`entries.$[].${name}`, '']);
    await this.reports.updateMany(
      { forget_at: { $lte: now } },
      { $unset: { ...(Object.fromEntries(texts) as Record<string, ''>), forget_at: '' } },
    );
  }

  /**
   * Counts open reports that admins were not notified about. Stops as soon as the count reaches
   * `enough`.
   */
  countUntold(enough: number): Promise<number> {
    return this.reports.countDocuments({ untold: true }, { limit: enough });
  }

  async noteTold(until: Date): Promise<void> {
    await this.reports.updateMany(
      { untold: true, first_at: { $lte: until } },
      { $unset: { untold: '' } },
    );
  }

  /** Removes the account from its reports, but keeps the reports (docs/contract.md#24.12). */
  async forgetReporter(accountId: string, email: string): Promise<void> {
    const account = new Types.ObjectId(accountId);
    await this.reports.updateMany(
      { $or: [{ 'entries.account': account }, { 'entries.email': email }] },
      {
        $unset: {
          'entries.$[entry].account': '',
          'entries.$[entry].email': '',
          'entries.$[entry].org': '',
        },
      },
      { arrayFilters: [{ $or: [{ 'entry.account': account }, { 'entry.email': email }] }] },
    );
  }
}

function addition({ linkId, entry }: NewReportEntry) {
  return {
    updateOne: {
      filter: { link: new Types.ObjectId(linkId), state: 'open' as const },
      update: {
        $inc: { count: 1, [`reasons.${entry.reason}`]: 1 },
        $max: { last_at: entry.at },
        $setOnInsert: { first_at: entry.at, untold: true as const },
        $push: { entries: { $each: [toEntryRecord(entry)], $slice: -MAX_ENTRIES } },
      },
      upsert: true,
    },
  };
}
