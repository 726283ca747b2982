import { randomBytes } from 'node:crypto';
import { sign } from 'jsonwebtoken';
import mongoose from 'mongoose';
import request from 'supertest';
import type { Click } from '../../../src/engines/click-engine/chunk/click';
import { ClickHouse } from '../../../src/engines/click-house/click-house';
import { ClickTable } from '../../../src/engines/click-house/click-table';
import { ClickWriter } from '../../../src/engines/click-house/click-writer';
import { ClickStore } from '../../../src/clicks/store/click-store';
import { boundedColumns, clickBatchEntry, tallyEntry } from '../../../src/clicks/store/click-batch';
import { ClickStoreRepository } from '../../../src/clicks/store/click-store.repository';
import { LinksRepository } from '../../../src/stores/links/links.repository';
import type { LinkRecord } from '../../../src/stores/links/link.schema';
import { aStoredLink } from '../shared/stored-link';
import { anAddress } from '../http';
import { clickHouseOptionsOf } from '../click-house';
import { databaseOf } from '../database';
import { type Service, startService } from '../service';

type StoredLink = { [Field in keyof LinkRecord]: LinkRecord[Field] };

export class StatisticsWorld {
  private batches = Date.now();

  private constructor(
    readonly service: Service,
    readonly connection: mongoose.Connection,
    private readonly store: ClickStore,
    private readonly clickHouse: ClickWriter | null,
  ) {}

  static async open(env: Record<string, string> = {}): Promise<StatisticsWorld> {
    return StatisticsWorld.of(await startService({ env }));
  }

  static async of(service: Service): Promise<StatisticsWorld> {
    const connection = await databaseOf(service);
    const stores = new ClickStoreRepository(connection);
    return new StatisticsWorld(
      service,
      connection,
      new ClickStore(stores, new LinksRepository(connection)),
      clickWriterOf(service),
    );
  }

  async close(): Promise<void> {
    if (!this.service.isShared) await this.connection.dropDatabase();
    await this.connection.close();
    await this.service.stop();
  }

  link(changes: Partial<StoredLink> = {}): Promise<string> {
    return aStoredLink(this.connection, changes);
  }

  async record(linkId: string, clicks: readonly Click[]): Promise<void> {
    this.batches += 1;
    const batch = { node: 'feed0001', number: this.batches };
    const { clickHouse, store } = this;
    if (clickHouse === null) {
      await store.record({ ...batch, entries: [clickBatchEntry(linkId, clicks)] });
      return;
    }
    await clickHouse.record({ ...batch, links: [{ linkId, chunks: boundedColumns(clicks) }] });
    await store.record({ ...batch, entries: [tallyEntry(linkId, clicks)] });
  }

  get(path: string, query: Record<string, unknown> = {}, user?: Session): request.Test {
    const asked = request(this.service.url).get(path).query(query);
    return user === undefined
      ? asked.set('X-Forwarded-For', anAddress())
      : asked.set('Authorization', `Bearer ${user.token}`);
  }
}

/** Writes clicks to ClickHouse; null if the service stores clicks in its database. */
function clickWriterOf({ clickHouse }: Service): ClickWriter | null {
  if (clickHouse === null) return null;
  return new ClickWriter(new ClickTable(new ClickHouse(clickHouseOptionsOf(clickHouse))));
}

export interface Session {
  id: mongoose.Types.ObjectId;
  token: string;
}

export function aSession(claims: object = {}): Session {
  const id = new mongoose.Types.ObjectId(randomBytes(12).toString('hex'));
  const sid = id.toHexString();
  const token = sign(
    { sid, amr: ['pwd'], email: 'ann@example.com', email_verified: true, ...claims },
    'a secret of the end-to-end tests',
    { subject: id.toHexString(), issuer: 'curtail', audience: 'curtail-api', expiresIn: 900 },
  );
  return { id, token };
}

export async function aKey(
  world: StatisticsWorld,
  user: Session,
  scopes: readonly string[],
): Promise<string> {
  await world.connection.collection('accounts').updateOne(
    { _id: user.id },
    {
      $set: {
        email: `${user.id.toHexString()}@example.com`,
        email_verified: true,
        identities: [],
        session_epoch: 0,
        created_at: new Date(),
      },
    },
    { upsert: true },
  );
  const expires_at = new Date(Date.now() + 900_000);
  const live = { user: user.id, epoch: 0, methods: ['pwd'], live: '', expires_at };
  await world.connection
    .collection('sessions')
    .updateOne({ _id: user.id }, { $set: live }, { upsert: true });
  const answer = await request(world.service.url)
    .post('/api/v1/keys')
    .set('Authorization', `Bearer ${user.token}`)
    .send({ name: scopes.join(), scopes });
  expect(answer.status).toBe(201);
  return (answer.body as { token: string }).token;
}
