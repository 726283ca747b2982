import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Model, mongo } from 'mongoose';
import { isDuplicateKey } from '../common/database-fault';
import { DAY_MS } from '../common/time';
import { WITHOUT_INDEXES } from '../infrastructure/mongo/write-barrier';
import { type HolderProcess, IdempotencyRecord } from './idempotency.schema';

/** Time without a renewal after which the next caller takes over. */
export const ATTEMPT_LEASE_MS = 30_000;

export interface Claim {
  readonly id: string;
  readonly fingerprint: string;
  readonly accountId: string | null;
  readonly holder: string;
  readonly process: HolderProcess;
  /** Ids to store if the key is new. */
  readonly ids: readonly string[];
  readonly endedHolder: string | null;
}

export interface KeptAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  readonly sealed: boolean;
}

export interface KeptRequest {
  readonly fingerprint: string;
  readonly holder: string | null;
  readonly process: HolderProcess;
  readonly leaseUntil: Date;
  readonly isRepeated: boolean;
  readonly ids: readonly string[];
  readonly targets: readonly string[] | null;
  readonly rows: readonly unknown[];
  readonly answer: KeptAnswer | null;
}

/**
 * The only class that uses the collection `idempotency`. Times use the database's clock. Only the
 * holder writes to a running request, so that an attempt presumed dead changes nothing.
 */
@Injectable()
export class IdempotencyRepository {
  constructor(
    @InjectModel(IdempotencyRecord.name) private readonly requests: Model<IdempotencyRecord>,
  ) {}

  /** Claims the request unless another attempt holds it. Returns the current state. */
  async claim(claim: Claim): Promise<KeptRequest> {
    for (;;) {
      try {
        return await this.claimOnce(claim);
      } catch (error) {
        // If two first attempts race, the retry finds the document.
        if (!isDuplicateKey(error)) throw error;
      }
    }
  }

  async find(id: string): Promise<KeptRequest | null> {
    const record = await this.requests.findById(id).lean<IdempotencyRecord>();
    return record === null ? null : toKeptRequest(record);
  }

  async renew(id: string, holder: string): Promise<void> {
    const lease = { $set: { lease_until: { $add: ['$$NOW', ATTEMPT_LEASE_MS] } } };
    const options = { updatePipeline: true, ...WITHOUT_INDEXES };
    await this.requests.updateOne(requestHeldBy(id, holder), [lease], options);
  }

  async keepTargets(id: string, holder: string, targets: readonly string[]): Promise<boolean> {
    const found = targets.map((target) => new mongo.ObjectId(target));
    const set = { $set: { targets: found } };
    return (await this.requests.updateOne(requestHeldBy(id, holder), set)).matchedCount === 1;
  }

  /** Stores the final response durably. Returns false if another attempt took over. */
  async finish(id: string, holder: string, answer: KeptAnswer): Promise<boolean> {
    const { matchedCount } = await this.requests.updateOne(requestHeldBy(id, holder), {
      $set: { state: 'done', holder: null, ...answer },
      $unset: { ids: 1, targets: 1, rows: 1 },
    });
    return matchedCount === 1;
  }

  async release(id: string, holder: string, rows: readonly unknown[] | null): Promise<void> {
    await this.requests.updateOne(requestHeldBy(id, holder), {
      $set: { holder: null, ...(rows !== null && { rows: JSON.stringify(rows) }) },
    });
  }

  async remove(id: string, holder: string): Promise<void> {
    await this.requests.deleteOne(requestHeldBy(id, holder));
  }

  private async claimOnce(claim: Claim): Promise<KeptRequest> {
    const record = await this.requests
      .findOneAndUpdate({ _id: claim.id }, claimUpdate(claim), {
        upsert: true,
        returnDocument: 'after',
        updatePipeline: true,
      })
      .lean<IdempotencyRecord>()
      .orFail();
    return toKeptRequest(record);
  }

  async removeByAccount(accountId: string): Promise<void> {
    await this.requests.deleteMany({ account: accountId });
  }
}

function requestHeldBy(id: string, holder: string) {
  return { _id: id, holder };
}

/** A single update handles a new key, an abandoned attempt and a key in use. */
function claimUpdate({ id, fingerprint, accountId, holder, process, ids, endedHolder }: Claim) {
  const held = {
    holder,
    process: { $literal: process },
    lease_until: { $add: ['$$NOW', ATTEMPT_LEASE_MS] },
  };
  const fresh = {
    _id: id,
    fingerprint,
    account: accountId === null ? null : new mongo.ObjectId(accountId),
    state: 'running',
    tries: 1,
    ids: { $literal: ids.map((each) => new mongo.ObjectId(each)) },
    expires_at: { $add: ['$$NOW', DAY_MS] },
    ...held,
  };
  const isNew = {
    $or: [{ $eq: [{ $type: '$state' }, 'missing'] }, { $lte: ['$expires_at', '$$NOW'] }],
  };
  const isLeft = {
    $and: [
      { $eq: ['$state', 'running'] },
      { $eq: ['$fingerprint', fingerprint] },
      { $or: [{ $in: ['$holder', [null, endedHolder]] }, { $lte: ['$lease_until', '$$NOW'] }] },
    ],
  };
  const taken = { $mergeObjects: ['$$ROOT', { ...held, tries: { $add: ['$tries', 1] } }] };
  const branches = [
    { case: isNew, then: fresh },
    { case: isLeft, then: taken },
  ];
  return [{ $replaceWith: { $switch: { branches, default: '$$ROOT' } } }];
}

function toKeptRequest(record: IdempotencyRecord): KeptRequest {
  const { status, headers = {}, body, sealed = false } = record;
  const isDone = status !== undefined && body !== undefined;
  return {
    fingerprint: record.fingerprint,
    holder: record.holder,
    process: record.process,
    leaseUntil: record.lease_until,
    isRepeated: record.tries > 1,
    ids: toHexIds(record.ids ?? []),
    targets: record.targets === undefined ? null : toHexIds(record.targets),
    rows: record.rows === undefined ? [] : (JSON.parse(record.rows) as unknown[]),
    answer: isDone ? { status, headers, body: Buffer.from(body.value()), sealed } : null,
  };
}

function toHexIds(ids: readonly mongo.ObjectId[]): string[] {
  return ids.map((id) => id.toHexString());
}
