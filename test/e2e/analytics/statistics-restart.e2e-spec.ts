import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import mongoose from 'mongoose';
import { CLICK_STORES } from '../../../src/clicks/store/click-store.schema';
import { startService } from '../../support/service';
import { clicks, RANGE } from '../../support/statistics/hand-counted';
import { aSession, type Session, StatisticsWorld } from '../../support/statistics/statistics-world';

describe('Statistics after a restart', () => {
  let dataDir: string;
  let world: StatisticsWorld;
  let user: Session;
  let id: string;
  beforeEach(async () => {
    dataDir = mkdtempSync(join(tmpdir(), 'curtail-restart-'));
    world = await StatisticsWorld.of(await startService({ dataDir }));
    user = aSession();
    id = await world.link({ owner: user.id });
    await world.record(id, clicks);
  });
  afterEach(async () => {
    await world.close();
    rmSync(dataDir, { recursive: true });
  });

  const countedIn = ({ summary, metrics }: Record<string, unknown>) => ({ summary, metrics });
  const ask = () => world.get(`/api/v1/stats/links/${id}`, RANGE, user);

  async function restart(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    const { service, connection } = world;
    await connection.close();
    await service.kill(signal);
    const { database } = service;
    world = await StatisticsWorld.of(await startService({ dataDir, database }));
  }

  async function damageStoredClicks(): Promise<void> {
    await world.connection
      .collection<{ tail: { data: mongoose.mongo.Binary }[] }>(CLICK_STORES)
      .updateMany({}, { $set: { 'tail.$[].data': new mongoose.mongo.Binary(Buffer.from('x')) } });
  }

  it.each(['SIGTERM', 'SIGKILL'] as const)(
    'are the same after %s, and continue',
    async (signal) => {
      const { body: before } = await ask();
      await restart(signal);
      const { status, body } = await ask();
      expect([status, countedIn(body)]).toEqual([200, countedIn(before)]);
      await world.record(id, clicks);
      const { summary } = (await ask()).body;
      expect(summary.total_clicks).toBe(2 * before.summary.total_clicks);
      expect(summary.unique_clicks).toBe(before.summary.unique_clicks);
    },
  );

  it('fail if the stored clicks are damaged', async () => {
    await restart('SIGKILL');
    await damageStoredClicks();
    expect((await ask()).status).toBe(500);
  });
});
