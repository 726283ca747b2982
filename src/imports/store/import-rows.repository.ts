import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Model, Types } from 'mongoose';
import { sliceItems } from '../../infrastructure/mongo/many-documents';
import type { ImportRow } from './import';
import {
  type ClaimingRow,
  ImportRowRecord,
  type RowHistory,
  rowId,
  toImportRow,
  toRowHistory,
  toRowRecord,
} from './import.schema';

const ROWS_A_READ = 1000;
/** Small, because large writes would delay redirects. */
const WRITTEN = 100;

export interface RowFilter {
  readonly verdict?: string;
}

/** Only this class reads and writes the `import_rows` collection. */
@Injectable()
export class ImportRowsRepository {
  constructor(@InjectModel(ImportRowRecord.name) private readonly rows: Model<ImportRowRecord>) {}

  async saveRows(importId: string, rows: readonly ClaimingRow[]): Promise<void> {
    if (rows.length === 0) return;
    const writes = rows.map((row) => {
      const replacement = toRowRecord(importId, row);
      return { replaceOne: { filter: { _id: replacement._id }, replacement, upsert: true } };
    });
    await this.rows.collection.bulkWrite(writes as never, { ordered: false });
  }

  async rowsWith(
    importId: string,
    rows: readonly Pick<ImportRow, 'row' | 'part'>[],
    verdict: ImportRow['verdict'],
  ): Promise<ImportRow[]> {
    if (rows.length === 0) return [];
    const ids = rows.map(({ row, part }) => rowId(importId, row, part));
    const found = await this.rows.find({ _id: { $in: ids }, verdict }).lean<ImportRowRecord[]>();
    return found.map(toImportRow);
  }

  /** Finds rows before `before` (Infinity: all rows) that have one of these claims. */
  async claimed(
    importId: string,
    claims: readonly string[],
    before: number,
  ): Promise<Map<string, ImportRow>> {
    if (claims.length === 0) return new Map();
    const earlier = {
      import: importId,
      claim: { $in: [...claims] },
      ...(Number.isFinite(before) && { _id: { $lt: rowId(importId, before, 0) } }),
    };
    const found = await this.rows.find(earlier).lean<ImportRowRecord[]>();
    return new Map(found.map((record) => [record.claim ?? '', toImportRow(record)]));
  }

  async rowsByVisitsKey(
    importId: string,
    keys: readonly string[],
  ): Promise<Map<string, ImportRow>> {
    if (keys.length === 0) return new Map();
    const found = await this.rows
      .find({ import: importId, visits_key: { $in: [...keys] } })
      .lean<ImportRowRecord[]>();
    return new Map(found.map((record) => [record.visits_key ?? '', toImportRow(record)]));
  }

  /** Adds a page's visits to their rows; a repeated page changes nothing. */
  async addVisits(
    importId: string,
    page: number,
    visits: ReadonlyMap<ImportRow, number>,
  ): Promise<void> {
    for (const batch of sliceItems([...visits], WRITTEN)) {
      const writes = batch.map(([{ row, part }, taken]) => ({
        updateOne: {
          filter: { _id: rowId(importId, row, part), 'visits.page': { $not: { $gte: page } } },
          update: { $inc: { 'visits.taken': taken }, $set: { 'visits.page': page } },
        },
      }));
      await this.rows.collection.bulkWrite(writes as never, { ordered: false });
    }
  }

  /** Returns the rows after this row and part, with their clicks. */
  async historiesAfter(
    importId: string,
    after: Pick<ImportRow, 'row' | 'part'> | null,
  ): Promise<RowHistory[]> {
    const from = after === null ? `${importId}/` : rowId(importId, after.row, after.part);
    const records = await this.rows
      .find({ _id: { $gt: from, $lt: `${importId}0` } })
      .sort({ _id: 1 })
      .limit(ROWS_A_READ)
      .lean<ImportRowRecord[]>();
    return records.map(toRowHistory);
  }

  async notePartial(
    importId: string,
    rows: readonly { readonly row: ImportRow; readonly message: string | null }[],
  ): Promise<void> {
    const writes = rows.map(({ row: { row, part, notes }, message }) => ({
      updateOne: {
        filter: { _id: rowId(importId, row, part), notes: { $ne: 'history_partial' } },
        update: { $set: { notes: [...notes, 'history_partial'], message } },
      },
    }));
    if (writes.length > 0)
      await this.rows.collection.bulkWrite(writes as never, { ordered: false });
  }

  /** Returns the greatest claim with this prefix in earlier rows, or null. */
  async lastClaim(importId: string, start: string, before: number): Promise<string | null> {
    const found = await this.rows
      .findOne({
        import: importId,
        claim: { $gte: start, $lt: `${start}\uffff` },
        _id: { $lt: rowId(importId, before, 0) },
      })
      .sort({ claim: -1 })
      .lean<ImportRowRecord>();
    return found?.claim ?? null;
  }

  async countRows(importId: string, { verdict }: RowFilter = {}): Promise<number> {
    return this.rows.countDocuments(matching(importId, verdict));
  }

  async pageOfRows(
    importId: string,
    { verdict }: RowFilter,
    page: number,
    pageSize: number,
  ): Promise<ImportRow[]> {
    const records = await this.rows
      .find(matching(importId, verdict))
      .sort({ _id: 1 })
      .skip((page - 1) * pageSize)
      .limit(pageSize)
      .lean<ImportRowRecord[]>();
    return records.map(toImportRow);
  }

  async *allRows(importId: string): AsyncGenerator<ImportRow[]> {
    let after = `${importId}/`;
    for (;;) {
      const records = await this.rows
        .find({ _id: { $gt: after, $lt: `${importId}0` } })
        .sort({ _id: 1 })
        .limit(ROWS_A_READ)
        .lean<ImportRowRecord[]>();
      if (records.length > 0) yield records.map(toImportRow);
      if (records.length < ROWS_A_READ) return;
      after = records.at(-1)?._id ?? after;
    }
  }

  /** Returns the ids of all imports that have rows. Reads one index entry per import. */
  async findImportIds(): Promise<string[]> {
    const ids = await this.rows.distinct('import');
    return ids.map((id) => id.toHexString());
  }

  /** Removes a batch of rows; returns false once no rows are left. */
  async clearRows(importId: string): Promise<boolean> {
    const records = await this.rows
      .find({ _id: { $gt: `${importId}/`, $lt: `${importId}0` } }, { _id: 1 })
      .limit(10 * ROWS_A_READ)
      .lean<{ _id: string }[]>();
    if (records.length === 0) return false;
    await this.rows.deleteMany({ _id: { $in: records.map(({ _id }) => _id) } });
    return true;
  }
}

function matching(importId: string, verdict: string | undefined): object {
  if (verdict === undefined) return { _id: { $gt: `${importId}/`, $lt: `${importId}0` } };
  const owned = { import: new Types.ObjectId(importId) };
  return { ...owned, $or: [{ verdict }, { notes: verdict }] };
}
