import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import mongoose from 'mongoose';
import {
  encodeClickEvent,
  JOURNAL_HEADER,
  JOURNAL_VERSION,
} from '../../src/clicks/journal/journal.format';
import { aClickEvent } from '../support/shared/click-event';
import { aLink } from '../support/factories/links';
import { Traffic } from '../support/traffic';
import { becomes } from '../support/health';
import { expectExact, storedTokens } from '../support/exact-clicks';
import { eventually, startService } from '../support/service';

const name = (n: number, state: 'open' | 'sealed'): string =>
  `999999.boot%2F1.0123456789ab-00000${n}.${state}`;

describe('journals damaged by a crash or a disk failure', () => {
  let dataDir: string;
  let journal: string;
  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'curtail-damage-'));
    journal = join(dataDir, 'journal');
    mkdirSync(journal, { recursive: true });
  });
  afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

  it('lose only the damaged lines; a file of a later version stays in place', async () => {
    let service = await startService({ dataDir });
    const { database, port } = service;
    const link = await aLink(service);
    await service.stop();

    const line = (token: string): string =>
      encodeClickEvent(aClickEvent({ linkId: link.id, query: `utm_campaign=${token}` }));
    const write = (file: string, text: string | Buffer): void =>
      writeFileSync(join(journal, file), text);
    write(
      name(1, 'open'),
      JOURNAL_HEADER + line('torn-1') + line('torn-2') + line('x').slice(0, -9),
    );
    write(
      name(2, 'sealed'),
      Buffer.concat([
        Buffer.from(JOURNAL_HEADER + line('garbage-1')),
        Buffer.from([0, 255, 17, 10, 0, 0, 10]),
        Buffer.from(line('garbage-2').replace('garbage-2', 'forged-22') + line('garbage-3')),
      ]),
    );
    const later = `curtail-journal ${JOURNAL_VERSION + 1}\nwhatever that version writes\n`;
    write(name(3, 'sealed'), later);
    write(name(4, 'sealed'), line('headless-1'));
    write(name(5, 'sealed'), '');

    service = await startService({ dataDir, database, port });
    const traffic = new Traffic(port, await aLink(service), 2);
    const connection = await mongoose.createConnection(service.mongoUri).asPromise();
    await eventually(
      'what is sound is recorded',
      async () => (await storedTokens(connection, link.id)).length === 5,
    );
    expect((await storedTokens(connection, link.id)).sort()).toEqual([
      'garbage-1',
      'garbage-3',
      'headless-1',
      'torn-1',
      'torn-2',
    ]);
    await connection.close();
    await becomes(service, 'healthy');
    expect(service.log()).toContain('A journal file has damaged lines');
    expect(service.log()).toContain('Skipped a journal file from a later release');
    const kept = join(journal, 'quarantine', name(2, 'sealed'));
    await eventually('the damaged file is kept', () => Promise.resolve(existsSync(kept)));
    expect(readdirSync(join(journal, 'quarantine'))).toEqual([name(2, 'sealed')]);
    expect(existsSync(join(journal, name(3, 'sealed')))).toBe(true);
    rmSync(join(journal, name(3, 'sealed')));
    await expectExact(service, traffic);
    expect(await service.stop()).toBe(0);
  });
});
