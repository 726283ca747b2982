import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { aLink } from '../../support/factories/links';
import { visit } from '../../support/http';
import { eventually, startService } from '../../support/service';
import { verify } from '../../support/verify';

describe('the audit of the embedded database', () => {
  it('works while the service runs and after it has stopped', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'curtail-verify-'));
    try {
      const service = await startService({ dataDir, embedded: true });
      const link = await aLink(service);
      for (let i = 0; i < 3; i++) await visit(service, link.alias);
      const right = { code: 0, last: 'verify: 1 link, 3 clicks, 0 differences, 0 repaired' };
      const matches = async (): Promise<boolean> =>
        JSON.stringify(await verify(dataDir)) === JSON.stringify(right);
      await eventually('the audit finds all clicks alongside the service', matches);
      await service.stop();
      expect(await verify(dataDir)).toEqual(right);
    } finally {
      rmSync(dataDir, { recursive: true, force: true });
    }
  });
});
