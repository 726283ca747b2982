import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { RecordingLogger } from '../../../../test/support/recording-logger';
import { tsProcess } from '../../../../test/support/ts-process';
import { cachedCLibrary, withCLibrary } from './c-library';
import { processorOf } from './processor';

const run = promisify(execFile);
const cacheFolder = mkdtempSync(join(tmpdir(), 'curtail-cache-'));
const processor = processorOf(process.arch)!;

/** The codename of the Debian at hand; without one there is no apt to fetch with. */
const codename = existsSync('/usr/bin/apt-get')
  ? /^VERSION_CODENAME=(\w+)$/m.exec(readFileSync('/etc/os-release', 'utf8'))?.[1]
  : undefined;
const onDebian = codename === undefined ? it.skip : it;

afterAll(() => rmSync(cacheFolder, { recursive: true }));

async function prepareInAProcess(): Promise<string[]> {
  const args = tsProcess('c-library.preparer', cacheFolder, codename ?? '');
  return (await run(process.execPath, args)).stdout.trim().split('\n');
}

describe('cachedCLibrary', () => {
  it('says why it could not fetch and leaves nothing behind', async () => {
    const archive = `file://user:secret@${cacheFolder}/nowhere`;
    const logger = new RecordingLogger();
    const attempt = cachedCLibrary({
      cacheFolder,
      archive: () => Promise.resolve(archive),
      processor,
      logger,
    });
    await expect(attempt).rejects.toThrow(/^apt-get: /);
    await expect(attempt).rejects.not.toThrow('secret');
    expect(logger.lines).toEqual([expect.stringContaining('fetching a copy')]);
    expect(readdirSync(cacheFolder)).toEqual([]);
  });

  onDebian('has one of two processes fetch, the other wait for it', async () => {
    const [one, two] = await Promise.all([prepareInAProcess(), prepareInAProcess()]);
    expect(one.at(-1)).toBe(two.at(-1));
    expect([...one, ...two].filter((line) => line.includes('fetching a copy'))).toHaveLength(1);
    expect(readdirSync(cacheFolder)).toEqual([expect.stringMatching(/^c-library-\w+-\w+$/)]);
  });

  onDebian('finds it in the cache afterwards, without asking for an archive', async () => {
    const logger = new RecordingLogger();
    const archive = () => Promise.reject(new Error('asked for an archive'));
    const folder = await cachedCLibrary({ cacheFolder, archive, processor, logger });
    expect(logger.lines).toEqual([]);
    const { command, args } = withCLibrary(folder, processor);
    const { stdout } = await run(command, [...args, '-p', '6 * 7']);
    expect(stdout).toBe('42\n');
  });

  onDebian('fetches again when the cache was cleaned in part', async () => {
    rmSync(join(cacheFolder, readdirSync(cacheFolder)[0]!, 'libstdc++.so.6'));
    const archive = () => Promise.reject(new Error('asked for an archive'));
    const logger = new RecordingLogger();
    await expect(cachedCLibrary({ cacheFolder, archive, processor, logger })).rejects.toThrow(
      'asked for an archive',
    );
  });
});
