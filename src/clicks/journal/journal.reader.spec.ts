import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { aClickEvent } from '../../../test/support/shared/click-event';
import { closeOddFiles, ODD_FILES } from '../../../test/support/shared/odd-files';
import { QuietLogger } from '../../../test/support/shared/quiet-logger';
import { encodeClickEvent, JOURNAL_HEADER } from './journal.format';
import { JournalVersionError } from '../clicks.errors';
import { JournalNames } from './journal.files';
import { JournalReader } from './journal.reader';

let directory: string;
let logger: QuietLogger;
let reader: JournalReader;

beforeEach(() => {
  directory = mkdtempSync(path.join(tmpdir(), 'curtail-journal-'));
  logger = new QuietLogger();
  reader = new JournalReader(directory, logger);
});
afterEach(() => {
  closeOddFiles();
  rmSync(directory, { recursive: true, force: true });
});

const names = new JournalNames();
/** A process id above Linux's maximum, so that there is no such process. */
const deadName = () =>
  `4194399.boot%2F12.${'ab'.repeat(6)}-00000${readdirSync(directory).length}.open`;
const line = (at: number) => encodeClickEvent(aClickEvent({ at }));

function file(name: string, content: string | Buffer, seconds = 1): string {
  writeFileSync(path.join(directory, name), content);
  utimesSync(path.join(directory, name), seconds, seconds);
  return name;
}

const listed = async () => (await reader.list()).map(({ name }) => name);
const readAts = async (name: string) => (await reader.read(name))?.events.map(({ at }) => at);

describe('The journal reader', () => {
  it('lists sealed files and files of dead writers, oldest first', async () => {
    const late = file(`${names.next()}.sealed`, JOURNAL_HEADER, 30);
    const early = file(`${names.next()}.sealed`, JOURNAL_HEADER, 10);
    const dead = file(deadName(), JOURNAL_HEADER, 20);
    file(`${names.next()}.open`, JOURNAL_HEADER, 5);
    file('notes.txt', 'not ours');
    expect(await listed()).toEqual([early, dead, late]);
  });

  it('finds no files while the folder does not exist', async () => {
    expect(await new JournalReader(path.join(directory, 'none'), logger).list()).toEqual([]);
  });

  it('reads every record', async () => {
    const name = file(`${names.next()}.sealed`, JOURNAL_HEADER + line(1) + line(2));
    expect((await reader.read(name))?.events).toEqual([
      aClickEvent({ at: 1 }),
      aClickEvent({ at: 2 }),
    ]);
    expect(logger.lines).toEqual([]);
  });

  it.each([1, 8, 9, 40, 150])(
    'drops a record that is truncated by %i bytes, and logs a warning',
    async (cut) => {
      const name = file(deadName(), JOURNAL_HEADER + line(1) + line(2).slice(0, cut));
      expect(await readAts(name)).toEqual([1]);
      expect(logger.linesAt('warn')).toHaveLength(1);
      expect(logger.linesAt('error')).toEqual([]);
    },
  );

  it.each(['', 'curtail-jou', JOURNAL_HEADER])('finds no record in %j', async (content) => {
    const name = file(deadName(), content);
    expect(await listed()).toEqual([name]);
    expect(await readAts(name)).toEqual([]);
  });

  it('skips damaged bytes up to the next newline', async () => {
    const garbage = Buffer.concat([Buffer.from([0, 255, 254, 0x22]), Buffer.alloc(5000, 7)]);
    const content = [JOURNAL_HEADER + line(1), garbage, `\n${line(2)}`, line(3).slice(4), line(4)];
    const name = file(
      `${names.next()}.sealed`,
      Buffer.concat(content.map((part) => Buffer.from(part))),
    );
    const decoded = await reader.read(name);
    expect(decoded?.events.map(({ at }) => at)).toEqual([1, 2, 4]);
    expect(decoded?.garbage).toBe(2);
    expect(logger.linesAt('error')).toHaveLength(1);
  });

  it('continues after a damaged header', async () => {
    const name = file(`${names.next()}.sealed`, `curtail\0journal 1\n${line(1)}`);
    expect(await listed()).toEqual([name]);
    const decoded = await reader.read(name);
    expect([decoded?.events.length, decoded?.garbage]).toEqual([1, 1]);
  });

  it('skips a file of a later version and logs it once', async () => {
    const name = file(`${names.next()}.sealed`, `curtail-journal 3\n${line(1)}`);
    expect(await listed()).toEqual([]);
    expect(await listed()).toEqual([]);
    expect(logger.linesAt('error')).toEqual([
      expect.objectContaining({
        extra: {
          reason: expect.stringContaining('until a release that reads format 3') as unknown,
        },
      }),
    ]);
    expect(existsSync(path.join(directory, name))).toBe(true);
  });

  it('rejects a file of a later version instead of reporting it as damaged', async () => {
    const name = file(`${names.next()}.sealed`, `curtail-journal 3\n${line(1)}`);
    await expect(reader.read(name)).rejects.toThrow(JournalVersionError);
    expect(existsSync(path.join(directory, name))).toBe(true);
  });

  it.each(Object.entries(ODD_FILES))(
    'handles %s in place of a file in quarantine, logs it once and continues',
    async (_, make) => {
      const odd = `${names.next()}.sealed`;
      await make(path.join(directory, odd));
      const name = file(`${names.next()}.sealed`, JOURNAL_HEADER + line(1));
      expect(await Promise.all([listed(), listed()])).toContainEqual([name]);
      expect(await listed()).toEqual([name]);
      expect(logger.linesAt('error')).toEqual([
        expect.objectContaining({
          message: 'Moved an entry that is not a journal file to quarantine',
          extra: { name: odd },
        }),
      ]);
      expect(readdirSync(path.join(directory, 'quarantine'))).toEqual([odd]);
    },
  );

  it.each(Object.entries(ODD_FILES))(
    'reads nothing from %s that replaced a file',
    async (_, make) => {
      const name = `${names.next()}.sealed`;
      await make(path.join(directory, name));
      expect(await reader.read(name)).toBeUndefined();
      expect(readdirSync(path.join(directory, 'quarantine'))).toEqual([name]);
    },
  );

  it('moves a file to quarantine if it is larger than any journal file can be', async () => {
    const name = file(`${names.next()}.sealed`, JOURNAL_HEADER);
    truncateSync(path.join(directory, name), 3 * 2 ** 30);
    expect(await listed()).toEqual([]);
    expect(readdirSync(path.join(directory, 'quarantine'))).toEqual([name]);
  });

  it.each(Object.entries(ODD_FILES))(
    'keeps damaged data even if quarantine is %s',
    async (_, make) => {
      await make(path.join(directory, 'quarantine'));
      const name = file(`${names.next()}.sealed`, 'what is this\n');
      await reader.quarantine(name);
      expect(readdirSync(path.join(directory, 'quarantine'))).toContain(name);
    },
  );

  it('keeps both files if two files in quarantine have the same name', async () => {
    const name = `${names.next()}.sealed`;
    for (const content of ['one\n', 'two\n']) await reader.quarantine(file(name, content));
    const kept = readdirSync(path.join(directory, 'quarantine'));
    const contents = kept.map((entry) =>
      readFileSync(path.join(directory, 'quarantine', entry), 'utf8'),
    );
    expect(contents.sort()).toEqual(['one\n', 'two\n']);
  });

  it('moves a file into quarantine, even when called twice', async () => {
    const name = file(`${names.next()}.sealed`, 'what is this\n');
    await reader.quarantine(name);
    await reader.quarantine(name);
    await reader.remove(name);
    await reader.remove(name);
    expect(readFileSync(path.join(directory, 'quarantine', name), 'utf8')).toBe('what is this\n');
    expect(await listed()).toEqual([]);
    expect(await reader.read(name)).toBeUndefined();
  });
});
