import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { eventually } from '../../support/shared/eventually';
import { RecordingLogger } from '../../support/shared/recording-logger';
import { tsProcess } from '../../support/ts-process';
import { downloadEnvironment } from '../../../src/config/environment';
import { engineHost } from '../../../src/infrastructure/mongo/embedded-engine';
import {
  cachedCLibrary,
  withCLibrary,
} from '../../../src/engines/embedded-mongo/c-library/c-library';
import { findDebianArchive } from '../../../src/engines/embedded-mongo/c-library/debian-archive';
import { findProcessor } from '../../../src/engines/embedded-mongo/c-library/glibc';

const run = promisify(execFile);
const cacheFolder = mkdtempSync(join(tmpdir(), 'curtail-cache-'));
const processor = findProcessor(process.arch)!;

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
  it('explains why the download failed and leaves no files', async () => {
    const archive = `file://user:secret@${cacheFolder}/nowhere`;
    const logger = new RecordingLogger();
    const attempt = cachedCLibrary({
      cacheFolder,
      archive: () => Promise.resolve(archive),
      processor,
      host: engineHost(logger),
    });
    await expect(attempt).rejects.toThrow(/^apt-get: /);
    await expect(attempt).rejects.not.toThrow('secret');
    expect(logger.lines).toEqual([expect.stringContaining('downloading a copy')]);
    expect(readdirSync(cacheFolder)).toEqual([]);
  });

  onDebian('lets one of two processes fetch while the other waits for it', async () => {
    const [one, two] = await Promise.all([prepareInAProcess(), prepareInAProcess()]);
    expect(one.at(-1)).toBe(two.at(-1));
    expect([...one, ...two].filter((line) => line.includes('downloading a copy'))).toHaveLength(1);
    expect(readdirSync(cacheFolder)).toEqual([
      expect.stringMatching(/^c-library-\w+-\w+\.\d{13}$/),
    ]);
  });

  onDebian('finds it in the cache afterwards, without requesting an archive', async () => {
    const logger = new RecordingLogger();
    const archive = () => Promise.reject(new Error('asked for an archive'));
    const folder = await cachedCLibrary({
      cacheFolder,
      archive,
      processor,
      host: engineHost(logger),
    });
    expect(logger.lines).toEqual([]);
    const { command, args } = withCLibrary(folder, processor);
    const { stdout } = await run(command, [...args, '-p', '6 * 7']);
    expect(stdout).toBe('42\n');
  });

  describe('after 30 days', () => {
    const DAY_MS = 86_400_000;
    const prefix = () => readdirSync(cacheFolder)[0]!.split('.')[0]!;
    const named = (ageDays: number) =>
      join(cacheFolder, `${prefix()}.${Date.now() - ageDays * DAY_MS}`);
    /** Changes the age of the only cached copy. */
    const aged = (days: number): string => {
      const folder = named(days);
      renameSync(join(cacheFolder, readdirSync(cacheFolder)[0]!), folder);
      return folder;
    };
    const broken = () => Promise.reject(new Error('the network is down'));
    const fetchable = async () => (await findDebianArchive(codename ?? '', downloadEnvironment()))!;

    onDebian('keeps a copy of 29 days, without a request', async () => {
      const folder = aged(29);
      const logger = new RecordingLogger();
      const options = { cacheFolder, archive: broken, processor, host: engineHost(logger) };
      expect(await cachedCLibrary(options)).toBe(folder);
      expect(logger.lines).toEqual([]);
    });

    onDebian(
      'warns and continues with the existing copy when the fetch fails, once a day',
      async () => {
        const folder = aged(31);
        const logger = new RecordingLogger();
        const options = { cacheFolder, archive: broken, processor, host: engineHost(logger) };
        expect(await cachedCLibrary(options)).toBe(folder);
        expect(logger.lines).toEqual([
          expect.stringContaining('downloading a copy'),
          expect.stringMatching(/^warn .* 31 days old and could not be .* \(the network is down\)/),
        ]);
        expect(await cachedCLibrary(options)).toBe(folder);
        expect(logger.lines).toHaveLength(2);
        rmSync(join(cacheFolder, `${prefix()}.failed`));
      },
    );

    onDebian('continues with the existing copy while the fetch takes long', async () => {
      const folder = aged(31);
      let refuse: (error: Error) => void = () => undefined;
      const archive = () => new Promise<string>((_, reject) => (refuse = reject));
      const logger = new RecordingLogger();
      const options = {
        cacheFolder,
        archive,
        processor,
        host: engineHost(logger),
        renewalWaitMs: 50,
      };
      expect(await cachedCLibrary(options)).toBe(folder);
      // Other processes do not wait for the library either.
      expect(await cachedCLibrary(options)).toBe(folder);
      refuse(new Error('given up'));
      await eventually(() => logger.lines.some((line) => line.includes('given up')));
      await eventually(() => existsSync(join(cacheFolder, `${prefix()}.failed`)));
      rmSync(join(cacheFolder, `${prefix()}.failed`));
    });

    onDebian('fetches a new copy alongside it, and deletes unused older ones', async () => {
      const folder = aged(31);
      const [loaded, unused, torn] = [named(90), named(60), join(cacheFolder, 'fetching-torn')];
      for (const copy of [loaded, unused]) cpSync(folder, copy, { recursive: true });
      mkdirSync(torn);
      const { command, args } = withCLibrary(loaded, processor);
      const engine = spawn(command, [
        ...args,
        '-e',
        'console.log("up"); setInterval(() => 0, 1e6)',
      ]);
      await once(engine.stdout, 'data');

      const logger = new RecordingLogger();
      const options = {
        cacheFolder,
        archive: fetchable,
        processor,
        host: engineHost(logger),
        renewalWaitMs: 120_000,
      };
      const fetched = await cachedCLibrary(options);
      expect(readdirSync(cacheFolder).sort()).toEqual(
        [loaded, folder, fetched].map((path) => basename(path)).sort(),
      );
      expect(await cachedCLibrary(options)).toBe(fetched);
      expect(logger.lines.filter((line) => line.startsWith('warn'))).toEqual([]);
      engine.kill();
      await once(engine, 'exit');
      for (const copy of [loaded, folder]) rmSync(copy, { recursive: true });
    });
  });

  onDebian('fetches again when the cache was partly deleted', async () => {
    rmSync(join(cacheFolder, readdirSync(cacheFolder)[0]!, 'libstdc++.so.6'));
    const archive = () => Promise.reject(new Error('asked for an archive'));
    const logger = new RecordingLogger();
    await expect(
      cachedCLibrary({ cacheFolder, archive, processor, host: engineHost(logger) }),
    ).rejects.toThrow('asked for an archive');
  });
});
