import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setImmediate as turn, setTimeout as wait } from 'node:timers/promises';
import { aClickEvent } from '../../../test/support/shared/click-event';
import { QuietLogger } from '../../../test/support/shared/quiet-logger';
import type { ClickEvent } from '../click-event';
import { type JournalFiles, journalFiles } from './journal.files';
import { decodeClickEvent, encodeClickEvent, JOURNAL_HEADER } from './journal.format';
import { JournalWriter } from './journal.writer';

let directory: string;
let logger: QuietLogger;

beforeEach(() => {
  directory = mkdtempSync(path.join(tmpdir(), 'curtail-journal-'));
  logger = new QuietLogger();
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const listed = (state: 'open' | 'sealed') =>
  readdirSync(directory).filter((name) => name.endsWith(`.${state}`));

/** Returns all files' complete records, and the number of bytes outside records. */
function recorded(): { visits: ClickEvent[]; junk: number } {
  const visits: ClickEvent[] = [];
  let junk = 0;
  for (const name of readdirSync(directory)) {
    const text = readFileSync(path.join(directory, name), 'utf8');
    expect(text.startsWith(JOURNAL_HEADER)).toBe(true);
    for (const line of text.slice(JOURNAL_HEADER.length).split('\n')) {
      const visit = decodeClickEvent(Buffer.from(line));
      if (visit) visits.push(visit);
      else junk += line.length;
    }
  }
  return { visits: visits.sort((a, b) => a.at - b.at), junk };
}

const times = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => from + i);
const ats = () => recorded().visits.map((visit) => visit.at);

function writerWith(faults: Partial<JournalFiles> = {}, more = {}): JournalWriter {
  return new JournalWriter({
    directory,
    logger,
    sealAfterMs: 60_000,
    files: { ...journalFiles, ...faults },
    ...more,
  });
}

const fault = (code: string) => Object.assign(new Error(`${code}: as the test requires`), { code });

describe('The journal writer', () => {
  it('writes all visits of a turn with one call before it runs any callback', async () => {
    let calls = 0;
    const writer = writerWith({
      writeSync: (...args) => (calls++, journalFiles.writeSync(...args)),
    });
    const seen: number[] = [];
    for (const at of times(0, 50)) {
      writer.append(aClickEvent({ at }), () => seen.push(recorded().visits.length));
    }
    expect(seen).toEqual([]);
    await turn();
    expect(seen).toEqual(Array(50).fill(50));
    expect(calls).toBe(2);
    writer.close();
  });

  it('makes its files readable only by their owner', async () => {
    const writer = writerWith({}, { directory: path.join(directory, 'deep', 'journal') });
    writer.append(aClickEvent(), () => undefined);
    await turn();
    const made = path.join(directory, 'deep', 'journal');
    expect(statSync(made).mode & 0o777).toBe(0o700);
    expect(statSync(path.join(made, readdirSync(made)[0]!)).mode & 0o777).toBe(0o600);
    writer.close();
  });

  it('creates no file before the first visit, and seals files by age', async () => {
    const writer = writerWith({}, { sealAfterMs: 20 });
    expect(readdirSync(directory)).toEqual([]);
    writer.append(aClickEvent({ at: 1 }), () => undefined);
    await turn();
    expect(listed('open')).toHaveLength(1);
    while (listed('sealed').length === 0) await wait(5);
    writer.append(aClickEvent({ at: 2 }), () => undefined);
    writer.close();
    expect(listed('sealed')).toHaveLength(2);
    expect(ats()).toEqual([1, 2]);
  });

  it('seals files by size', async () => {
    const writer = writerWith({}, { sealBytes: 1000 });
    for (const at of times(0, 12)) {
      writer.append(aClickEvent({ at }), () => undefined);
      await turn();
    }
    expect(listed('sealed').length).toBeGreaterThan(1);
    writer.close();
    expect(ats()).toEqual(times(0, 12));
  });

  it('runs the other callbacks if one throws', async () => {
    const writer = writerWith();
    const answered: number[] = [];
    writer.append(aClickEvent(), () => {
      throw new Error('socket gone');
    });
    writer.append(aClickEvent(), () => answered.push(2));
    await turn();
    expect(answered).toEqual([2]);
    expect(logger.linesAt('error')).toHaveLength(1);
    writer.close();
  });

  it('still records visits that arrive after it is closed', async () => {
    const writer = writerWith();
    writer.close();
    writer.append(aClickEvent({ at: 7 }), () => undefined);
    await turn();
    expect(listed('sealed')).toHaveLength(1);
    expect(ats()).toEqual([7]);
  });

  it('writes more visits in a turn than its buffer can contain', async () => {
    const writer = writerWith();
    const userAgent = 'é漢'.repeat(4000);
    for (const at of times(0, 100)) writer.append(aClickEvent({ at, userAgent }), () => undefined);
    await turn();
    writer.close();
    expect(ats()).toEqual(times(0, 100));
  });
});

describe('A failing disk', () => {
  it('delays no response, is logged once, and receives all lines later', async () => {
    let full = true;
    const writer = writerWith({
      writeSync: (...args) => {
        if (full) throw fault('ENOSPC');
        return journalFiles.writeSync(...args);
      },
    });
    let answered = 0;
    for (const at of times(0, 5)) {
      writer.append(aClickEvent({ at }), () => answered++);
      await turn();
    }
    expect(answered).toBe(5);
    expect(writer.pendingBytes).toBeGreaterThan(1000);
    expect(logger.linesAt('error')).toHaveLength(1);
    full = false;
    while (writer.pendingBytes > 0) await wait(20);
    expect(logger.linesAt('info')).toHaveLength(1);
    writer.close();
    expect(recorded()).toEqual({ visits: times(0, 5).map((at) => aClickEvent({ at })), junk: 0 });
  });

  it.each(['ENOSPC', 'EIO', 'EBADF'])(
    'with %s after any number of bytes neither truncates nor repeats a line',
    async (code) => {
      let room = 30;
      const writer = writerWith({
        writeSync: (fd, bytes, offset, length) => {
          if (room === 0) throw fault(code);
          const part = Math.min(room, length);
          room -= part;
          return journalFiles.writeSync(fd, bytes, offset, part);
        },
      });
      for (const at of times(0, 60)) {
        writer.append(aClickEvent({ at, userAgent: 'é'.repeat(at) }), () => undefined);
        if (at % 3 === 0) await turn();
        room += (at * 37) % 211;
      }
      room = Number.POSITIVE_INFINITY;
      writer.close();
      expect(ats()).toEqual(times(0, 60));
      expect(recorded().junk).toBe(0);
      expect(listed('open')).toEqual([]);
    },
  );

  it('that cannot truncate an incomplete line leaves it at the end, and no other line is lost', async () => {
    const behaviour = ['whole header', 'part of the lines', 'fault'];
    const writer = writerWith({
      truncateSync: () => {
        throw fault('EIO');
      },
      writeSync: (fd, bytes, offset, length) => {
        const next = behaviour.shift();
        if (next === 'fault') throw fault('EIO');
        const cut = next === 'part of the lines' ? 10 : 0;
        return journalFiles.writeSync(fd, bytes, offset, length - cut);
      },
    });
    writer.append(aClickEvent({ at: 1 }), () => undefined);
    writer.append(aClickEvent({ at: 2 }), () => undefined);
    await turn();
    writer.close();
    expect(ats()).toEqual([1, 2]);
    expect(recorded().junk).toBeGreaterThan(0);
  });

  it('causes a backlog of limited size, and the number of lost clicks is logged', async () => {
    const writer = writerWith(
      {
        openSync: () => {
          throw fault('EMFILE');
        },
      },
      { backlogLimit: 2000 },
    );
    for (const at of times(0, 100)) {
      writer.append(aClickEvent({ at }), () => undefined);
      await turn();
      expect(writer.pendingBytes).toBeLessThanOrEqual(2000);
    }
    writer.close();
    const losses = logger
      .linesAt('error')
      .map(({ extra }) => (extra as { lost?: number }).lost ?? 0);
    expect(losses.reduce((sum, lost) => sum + lost, 0)).toBe(100);
  });

  it('that fails to rename a file is tried again', async () => {
    let refusals = 2;
    const writer = writerWith({
      renameSync: (from, to) => {
        if (refusals-- > 0) throw fault('EIO');
        journalFiles.renameSync(from, to);
      },
    });
    writer.append(aClickEvent({ at: 3 }), () => undefined);
    writer.seal();
    expect(listed('sealed')).toEqual([]);
    while (listed('sealed').length === 0) await wait(20);
    expect(ats()).toEqual([3]);
    writer.close();
  });
});

describe('The reserved disk space', () => {
  const MEGABYTE = 1024 * 1024;
  const size = 1000 * MEGABYTE;
  let free: number;
  let looks: number;
  const space = () => {
    looks++;
    return Promise.resolve({ size, free });
  };
  /** The first line starts a check of free space, whose result applies after this turn. */
  const lookedAt = async (writer: JournalWriter) => {
    writer.append(aClickEvent({ at: 0 }), () => undefined);
    await turn();
    await turn();
  };
  beforeEach(() => {
    free = size;
    looks = 0;
  });

  it('is not used by the journal: clicks wait in memory and are written once, later', async () => {
    free = 99 * MEGABYTE;
    const writer = writerWith({ space });
    await lookedAt(writer);
    let answered = 0;
    for (const at of times(1, 20)) writer.append(aClickEvent({ at }), () => answered++);
    await turn();
    expect(answered).toBe(19);
    expect(writer.pendingBytes).toBeGreaterThan(1000);
    expect(ats()).toEqual([0]);
    expect(logger.linesAt('error')).toHaveLength(1);
    // A small amount of space is not enough, because the journal would stop and resume with every
    // file.
    free = 101 * MEGABYTE;
    looks = 0;
    while (looks < 2) await wait(20);
    expect(ats()).toEqual([0]);
    free = 150 * MEGABYTE;
    while (writer.pendingBytes > 0) await wait(20);
    writer.close();
    expect(ats()).toEqual(times(0, 20));
    expect(recorded().junk).toBe(0);
    expect(writer.lost).toBe(0);
    expect(logger.linesAt('info')).toHaveLength(1);
  });

  it('is used for the clicks in memory when the process ends', async () => {
    free = 50 * MEGABYTE;
    const writer = writerWith({ space });
    await lookedAt(writer);
    writer.append(aClickEvent({ at: 1 }), () => undefined);
    await turn();
    expect(ats()).toEqual([0]);
    writer.close();
    expect(ats()).toEqual([0, 1]);
  });

  it('stays free even if memory is full: the oldest clicks are lost and counted', async () => {
    free = 0;
    const writer = writerWith({ space }, { backlogLimit: 2000 });
    await lookedAt(writer);
    for (const at of times(1, 101)) {
      writer.append(aClickEvent({ at }), () => undefined);
      await turn();
    }
    const { lost } = writer;
    expect(lost).toBeGreaterThan(80);
    expect(writer.pendingBytes).toBeLessThanOrEqual(2000);
    writer.close();
    expect(ats()).toEqual([0, ...times(lost + 1, 101)]);
    // The total loss is logged once at the end, not for each click.
    expect(logger.linesAt('error').length).toBeLessThanOrEqual(3);
  });

  it('is checked again before a process writes more than the last check allowed', async () => {
    const line = Buffer.byteLength(encodeClickEvent(aClickEvent({ at: 1 })));
    free = 100 * MEGABYTE + 80 * line;
    let told = (): void => undefined;
    const writer = writerWith({
      space: async () => {
        const found = { size, free };
        if (looks++ > 0) await new Promise<void>((resolve) => (told = resolve));
        return found;
      },
    });
    await lookedAt(writer);
    for (const at of times(1, 30)) {
      writer.append(aClickEvent({ at }), () => undefined);
      await turn();
    }
    expect(looks).toBe(2);
    // Up to an eighth of the free bytes, plus the turn that exceeds that share.
    expect(ats().length).toBeLessThanOrEqual(12);
    expect(writer.pendingBytes).toBeGreaterThan(15 * line);
    free = size;
    while (writer.pendingBytes > 0) {
      told();
      await turn();
    }
    writer.close();
    expect(ats()).toEqual(times(0, 30));
  });

  it('is not checked on a disk that cannot report its free space', async () => {
    const writer = writerWith({ space: () => Promise.reject(fault('ENOSYS')) });
    for (const at of times(0, 5)) {
      writer.append(aClickEvent({ at }), () => undefined);
      await turn();
    }
    expect(ats()).toEqual(times(0, 5));
    writer.close();
  });
});
