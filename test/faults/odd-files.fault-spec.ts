import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expectExact } from '../support/exact-clicks';
import { aLink } from '../support/factories/links';
import { closeOddFiles, ODD_FILES } from '../support/shared/odd-files';
import { eventually, startService } from '../support/service';
import { Traffic } from '../support/traffic';

const JOURNAL_NAME = '4194399.boot%2F12.abababababab';
/** Files in DATA_DIR that the service recreates if they are missing. */
const REPLACEABLE = ['recorder-intents', 'recorder-intents.new', 'node-id'];

describe.each(Object.entries(ODD_FILES))('%s in place of each file of DATA_DIR', (_, make) => {
  it('loses no click, does not block a shutdown, and is logged', async () => {
    // A short path, because a socket path has at most 107 bytes.
    const dataDir = mkdtempSync(join(tmpdir(), 'odd-'));
    const odd = async (...names: string[]) => {
      for (const name of names) await make(join(dataDir, name));
    };
    mkdirSync(join(dataDir, 'journal'));
    await odd(...REPLACEABLE, `journal/${JOURNAL_NAME}-000001.sealed`);
    await odd('journal/quarantine');
    const service = await startService({ dataDir, embedded: true });
    const traffic = new Traffic(service.port, await aLink(service));
    await traffic.moreRedirects(50);
    await eventually(
      'the journal is tidy',
      () => !readdirSync(join(dataDir, 'journal')).includes(`${JOURNAL_NAME}-000001.sealed`),
    );
    await odd(`journal/${JOURNAL_NAME}-000002.open`);
    await traffic.moreRedirects(50);
    await expectExact(service, traffic);
    const told = (text: string) =>
      service
        .log()
        .split('\n')
        .filter((line) => line.includes(text));
    expect(told('Moved an entry that is not a journal file to quarantine')).toHaveLength(2);
    for (const name of ['recorder-intents', 'node-id']) {
      expect(told(`${name} is not a regular file`)).toHaveLength(1);
    }
    expect(told('Could not record clicks')).toEqual([]);
    expect(readdirSync(join(dataDir, 'quarantine')).sort()).toEqual([
      'node-id',
      'recorder-intents',
    ]);
    const statistics = await fetch(`${service.url}/stats/${traffic.link.alias}`);
    expect(statistics.status).toBe(200);
    // A timeout while stopping causes a nonzero exit code.
    expect(await service.stop()).toBe(0);
    closeOddFiles();
    rmSync(dataDir, { recursive: true, force: true });
  });
});
