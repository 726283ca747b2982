import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import mongoose from 'mongoose';
import { aStoredLink } from '../../support/shared/stored-link';
import { databaseOf } from '../../support/database';
import { ApiClient } from '../../support/api-client';
import { startService, type Service } from '../../support/service';

const VERIFY = join(__dirname, '..', '..', '..', 'dist', 'program', 'cli', 'verify.js');

async function verifyAndRepair({ mongoUri }: Service): Promise<number> {
  const child = spawn(process.execPath, [VERIFY, '--repair'], {
    env: { PATH: process.env.PATH, MONGODB_URI: mongoUri, JWT_SECRET: 'a secret of the tests' },
    stdio: 'ignore',
  });
  const [code] = (await once(child, 'close')) as [number];
  return code;
}

describe('A repair while the service runs', () => {
  it('appears in a cached list, even for a link written long ago', async () => {
    const service = await startService({ own: true });
    const database = await databaseOf(service);
    try {
      const owner = await ApiClient.on(service);
      const account = { owner: new mongoose.Types.ObjectId(owner.account.userId) };
      // Caches detect changes only by `touched_at`.
      const written = { ...account, touched_at: new Date(Date.UTC(2020, 0, 1)) };
      const miscounted = await aStoredLink(database, { ...written, total_clicks: 9 });
      const correct = await aStoredLink(database, written);
      const ascending = async (): Promise<string[]> => {
        const { body } = await owner.list({ sortBy: 'total_clicks', sortOrder: 'ascending' });
        return (body.items as { id: string }[]).map(({ id }) => id);
      };
      expect(await ascending()).toEqual([correct, miscounted]);
      expect(await verifyAndRepair(service)).toBe(0);
      // Neither link has clicks now, so the older one comes first.
      expect(await ascending()).toEqual([miscounted, correct]);
    } finally {
      await database.close();
      await service.stop();
    }
  });
});
