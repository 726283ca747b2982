import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Model, type QueryFilter, Types, type UpdateQuery } from 'mongoose';
import { containing, findIds, findPage } from '../../infrastructure/mongo/find';
import { isDuplicateKey } from '../../common/database-fault';
import type {
  CheckedDomain,
  DnsFindings,
  Domain,
  DomainChange,
  DomainSearch,
  KnownDomain,
  NewDomain,
} from './domain';
import {
  DOMAIN_FIELDS,
  DomainRecord,
  KNOWN_FIELDS,
  NO_SETTINGS,
  toDomain,
  toKnownDomain,
} from './domain.schema';

const NEWEST_FIRST = { created_at: -1, _id: -1 } as const;
const HELD = ['active', 'suspended'] as const;

@Injectable()
export class DomainsRepository {
  constructor(@InjectModel(DomainRecord.name) private readonly domains: Model<DomainRecord>) {}

  async findKnown(): Promise<KnownDomain[]> {
    const known: KnownDomain[] = [];
    // Uses a cursor, because decoding all documents at the same time would block the process.
    const records = this.domains.find({ last_verified_at: { $ne: null } }, KNOWN_FIELDS).lean();
    for await (const record of records.cursor()) known.push(toKnownDomain(record));
    return known;
  }

  findById(id: string): Promise<Domain | null> {
    return this.findOne({ _id: id });
  }

  findOwn(id: string, ownerId: string): Promise<Domain | null> {
    return this.findOne({ _id: id, owner: ownerId });
  }

  findOwnByName(fqdn: string, ownerId: string): Promise<Domain | null> {
    return this.findOne({ owner: ownerId, fqdn });
  }

  findHolder(fqdn: string): Promise<Domain | null> {
    return this.findOne({ fqdn, held: true });
  }

  /** Prefers the holder among the accounts that have the name. */
  async findByName(fqdn: string): Promise<Domain | null> {
    return (await this.findHolder(fqdn)) ?? this.findOne({ fqdn });
  }

  /** Returns a page of all accounts' domains, newest first. */
  async page(
    { text, status, isShared }: DomainSearch,
    page: number,
    pageSize: number,
  ): Promise<{ domains: Domain[]; total: number }> {
    const which: QueryFilter<DomainRecord> = {
      ...(text && { fqdn: containing(text) }),
      ...(status && { status }),
      ...(isShared !== undefined && { shared_place: { $exists: isShared } }),
    };
    const options = { sort: NEWEST_FIRST, page, pageSize } as const;
    const { records, total } = await findPage<DomainRecord>(this.domains, which, options);
    return { domains: records.map(toDomain), total };
  }

  async findSome(ownerId: string, skip: number, limit: number): Promise<Domain[]> {
    const page = this.domains.find({ owner: ownerId }).sort(NEWEST_FIRST).skip(skip).limit(limit);
    return (await page.lean<DomainRecord[]>()).map(toDomain);
  }

  countByOwner(ownerId: string): Promise<number> {
    return this.domains.countDocuments({ owner: ownerId });
  }

  async takenPlaces(ownerId: string): Promise<Set<number | null>> {
    return new Set(await this.domains.distinct('place', { owner: ownerId, place: { $ne: null } }));
  }

  /** Null if the place or the name was taken concurrently. */
  insert(
    { id, ownerId, fqdn, token }: NewDomain,
    place: number,
    now: Date,
    giveUpAt: Date,
  ): Promise<Domain | null> {
    const record: DomainRecord = {
      _id: new Types.ObjectId(id),
      owner: new Types.ObjectId(ownerId),
      fqdn,
      status: 'pending',
      token,
      ...NO_SETTINGS,
      created_at: now,
      updated_at: now,
      last_verified_at: null,
      failing_since: null,
      error: null,
      check_at: giveUpAt,
      place,
      revision: 1,
    };
    return nullIfNameTaken(async () => {
      await this.domains.create([record]);
      return toDomain(record);
    });
  }

  /** Makes a revoked domain pending again; null if the place was taken concurrently. */
  revive(id: string, place: number, now: Date, giveUpAt: Date): Promise<Domain | null> {
    const pending = { status: 'pending', place, check_at: giveUpAt, error: null, updated_at: now };
    return nullIfNameTaken(() => this.update({ _id: id, status: 'revoked' }, { $set: pending }));
  }

  /** Null if the domain is not active, or if another domain became the default concurrently. */
  async change(
    id: string,
    ownerId: string,
    { isDefault, ...settings }: DomainChange,
    now: Date,
  ): Promise<Domain | null> {
    const set: Record<string, unknown> = { updated_at: now };
    for (const [key, field] of Object.entries(DOMAIN_FIELDS)) {
      const value = settings[key as keyof typeof DOMAIN_FIELDS];
      if (value !== undefined) set[field] = value;
    }
    if (isDefault === true) set.is_default = true;
    const unset = isDefault === false ? { $unset: { is_default: '' } } : {};
    const which = { _id: id, owner: ownerId, status: 'active' } as const;
    return nullIfNameTaken(() => this.update(which, { $set: set, ...unset }));
  }

  /** Returns the account's previous default domain; null if there was none. */
  clearDefault(ownerId: string, exceptId: string, now: Date): Promise<Domain | null> {
    const previousDefault = { owner: ownerId, is_default: true as const, _id: { $ne: exceptId } };
    return this.update(previousDefault, { $set: { updated_at: now }, $unset: { is_default: '' } });
  }

  async takenSharedPlaces(): Promise<Set<number | undefined>> {
    return new Set(await this.domains.distinct('shared_place', { shared_place: { $gte: 0 } }));
  }

  /** Null if the domain is not active, is shared already, or the place was taken concurrently. */
  share(id: string, place: number, now: Date): Promise<Domain | null> {
    const which = { _id: id, status: 'active', shared_place: { $exists: false } } as const;
    const shared = { shared_place: place, was_shared: true, updated_at: now } as const;
    return nullIfNameTaken(() => this.update(which, { $set: shared }));
  }

  /** Null if the domain is not shared. */
  unshare(id: string, now: Date): Promise<Domain | null> {
    const which = { _id: id, shared_place: { $exists: true } };
    return this.update(which, { $set: { updated_at: now }, $unset: { shared_place: '' } });
  }

  /** Returns the domains that the account had shared. */
  async unshareByAccount(ownerId: string, now: Date): Promise<Domain[]> {
    const shared = { owner: ownerId, shared_place: { $exists: true } };
    const ids = await findIds<DomainRecord>(this.domains, shared);
    const domains = await Promise.all(ids.map((id) => this.unshare(id, now)));
    return domains.filter((domain) => domain !== null);
  }

  /** Null if another account holds the name, or if the domain is no longer pending. */
  activate(id: string, dns: DnsFindings | null, now: Date, checkAt: Date): Promise<Domain | null> {
    const active = {
      status: 'active',
      dns,
      held: true,
      last_verified_at: now,
      failing_since: null,
      error: null,
      check_at: checkAt,
      updated_at: now,
    } as const;
    return nullIfNameTaken(() => this.update({ _id: id, status: 'pending' }, { $set: active }));
  }

  /** Null if the domain is no longer pending. */
  noteFailure(id: string, error: string, dns: DnsFindings | null): Promise<Domain | null> {
    return this.update({ _id: id, status: 'pending' }, { $set: { error, dns } });
  }

  /** Null if the domain is no longer active or suspended. */
  noteCheck(id: string, checked: CheckedDomain, checkAt: Date, now: Date): Promise<Domain | null> {
    const { status, lastVerifiedAt, failingSince, error, dns } = checked;
    const set = {
      error,
      dns,
      check_at: checkAt,
      ...(status !== undefined && { status, updated_at: now }),
      ...(lastVerifiedAt !== undefined && { last_verified_at: lastVerifiedAt }),
      ...(failingSince !== undefined && { failing_since: failingSince }),
    };
    return this.update({ _id: id, status: { $in: HELD } }, { $set: set });
  }

  /** Frees the domain's name and ends sharing. Null if the domain was never active. */
  revoke(id: string, now: Date, condition = {}): Promise<Domain | null> {
    const which = { _id: id, status: { $ne: 'revoked' }, last_verified_at: { $ne: null } } as const;
    return this.update({ ...which, ...condition }, revoking(now));
  }

  /** Null if the domain was never active or is shared. */
  revokeUnshared(id: string, now: Date): Promise<Domain | null> {
    return this.revoke(id, now, { shared_place: { $exists: false } });
  }

  /** Deletes a domain that was never active; returns whether it existed. */
  async removeUnproved(id: string): Promise<boolean> {
    return this.removeOne({ _id: id, status: 'pending', last_verified_at: null });
  }

  /** Returns whether the domain existed and was revoked. */
  async removeRevoked(id: string): Promise<boolean> {
    return this.removeOne({ _id: id, status: 'revoked' });
  }

  /** Leases a domain whose check is due, until `until`; null if no check is due. */
  takeDue(now: Date, until: Date): Promise<Domain | null> {
    return this.update({ check_at: { $lte: now } }, { $set: { check_at: until } }, { check_at: 1 });
  }

  private async findOne(which: QueryFilter<DomainRecord>): Promise<Domain | null> {
    const record = await this.domains.findOne(which).lean<DomainRecord>();
    return record === null ? null : toDomain(record);
  }

  private async update(
    which: QueryFilter<DomainRecord>,
    update: UpdateQuery<DomainRecord>,
    sort?: Record<string, 1>,
  ): Promise<Domain | null> {
    const counted = { ...update, $inc: { revision: 1 } };
    const record = await this.domains
      .findOneAndUpdate(which, counted, { returnDocument: 'after', sort })
      .lean<DomainRecord>();
    return record === null ? null : toDomain(record);
  }

  private async removeOne(which: QueryFilter<DomainRecord>): Promise<boolean> {
    return (await this.domains.deleteOne(which)).deletedCount === 1;
  }

  /**
   * Revokes the account's domains that are or were shared and erases their owner and settings. They
   * are not deleted yet, because other accounts may have links on them: the first check deletes
   * those without links.
   */
  async disownByAccount(ownerId: string, now: Date): Promise<Domain[]> {
    const shared = { owner: ownerId, was_shared: true as const };
    const ids = await findIds<DomainRecord>(this.domains, shared);
    const { $set, $unset } = revoking(now);
    const none = { ...NO_SETTINGS, dns: null, token: '' };
    const domains = await Promise.all(
      ids.map((id) => {
        const set = { ...$set, ...none, owner: new Types.ObjectId(id), check_at: now };
        return this.update({ _id: id, owner: ownerId }, { $set: set, $unset });
      }),
    );
    return domains.filter((domain) => domain !== null);
  }

  /** Returns the deleted domains' ids (docs/contract.md#24.12). */
  async removeByAccount(ownerId: string): Promise<string[]> {
    const ids = await findIds<DomainRecord>(this.domains, { owner: ownerId });
    await this.domains.deleteMany({ owner: ownerId });
    return ids;
  }
}

function revoking(now: Date) {
  const ended = { place: null, check_at: null, failing_since: null, error: null };
  return {
    $set: { ...ended, status: 'revoked', updated_at: now },
    $unset: { held: '', is_default: '', shared_place: '' },
  } as const;
}

async function nullIfNameTaken(write: () => Promise<Domain | null>): Promise<Domain | null> {
  try {
    return await write();
  } catch (error) {
    if (isDuplicateKey(error)) return null;
    throw error;
  }
}
