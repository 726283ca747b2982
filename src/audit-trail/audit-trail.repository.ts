import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Model, Types } from 'mongoose';
import { findPage } from '../infrastructure/mongo/find';
import { isDuplicateKey } from '../common/database-fault';
import type { AuditAct, AuditEntry, NewAuditEntry } from './audit-entry';
import { AuditEntryRecord, toAuditEntry } from './audit-entry.schema';

const ENTRIES_A_READ = 500;

export interface AuditFilter {
  readonly act?: AuditAct;
  readonly actor?: string;
  readonly subject?: string;
}

/** Only appends to the collection `audit_trail`, which no other class uses. */
@Injectable()
export class AuditTrailRepository {
  constructor(
    @InjectModel(AuditEntryRecord.name) private readonly entries: Model<AuditEntryRecord>,
  ) {}

  async insert(entries: readonly NewAuditEntry[], at: Date): Promise<void> {
    const records = entries.map(({ id, actor, act, subject, reason, before, after }) => ({
      _id: new Types.ObjectId(id),
      at,
      actor: { id: actor.id === null ? null : new Types.ObjectId(actor.id), via: actor.via },
      act,
      subject,
      reason: reason ?? null,
      before,
      after,
    }));
    try {
      await this.entries.insertMany(records, { ordered: false });
    } catch (error) {
      // A duplicate id means that an earlier attempt recorded this entry.
      if (!isDuplicateKey(error)) throw error;
    }
  }

  /** Returns entries, newest first. */
  async page(
    filter: AuditFilter,
    page: number,
    pageSize: number,
  ): Promise<{ items: AuditEntry[]; total: number }> {
    const wanted = {
      ...(filter.act && { act: filter.act }),
      ...(filter.actor && { 'actor.id': new Types.ObjectId(filter.actor) }),
      ...(filter.subject && { 'subject.id': filter.subject }),
    };
    const options = { sort: { at: -1, _id: -1 }, page, pageSize } as const;
    const { records, total } = await findPage<AuditEntryRecord>(this.entries, wanted, options);
    return { items: records.map(toAuditEntry), total };
  }

  async *all(): AsyncGenerator<AuditEntry[]> {
    let last: AuditEntryRecord | undefined;
    for (;;) {
      const { at, _id } = last ?? {};
      const later = last && { $or: [{ at: { $gt: at } }, { at, _id: { $gt: _id } }] };
      const batch = await this.entries
        .find(later ?? {})
        .sort({ at: 1, _id: 1 })
        .limit(ENTRIES_A_READ)
        .lean<AuditEntryRecord[]>();
      if (batch.length > 0) yield batch.map(toAuditEntry);
      if (batch.length < ENTRIES_A_READ) return;
      last = batch.at(-1);
    }
  }
}
