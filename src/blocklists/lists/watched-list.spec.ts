import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AppLog } from '../../common/log';
import { eventually } from '../../../test/support/shared/eventually';
import { addUnreadable, type UnreadableLines } from './unreadable-lines';
import { WatchedList } from './watched-list';

describe('A watched list', () => {
  const folder = mkdtempSync(join(tmpdir(), 'curtail-list-'));
  const path = join(folder, 'list.txt');
  const log = { info: jest.fn(), warn: jest.fn(), error: jest.fn() };
  let list: WatchedList;
  let fault: Error | null = null;
  let loads = 0;
  let version = 'first';
  const onChange = jest.fn();

  async function load(): ReturnType<WatchedListLoad> {
    await Promise.resolve();
    loads += 1;
    if (fault !== null) throw fault;
    const unreadable: UnreadableLines = { total: 0, lines: [] };
    for (let line = 1; line <= 250; line += 1) addUnreadable(unreadable, line, ' x'.repeat(100));
    return { state: `${loads}`, entries: 7, version, unreadable };
  }
  type WatchedListLoad = ConstructorParameters<typeof WatchedList>[0]['load'];

  beforeAll(async () => {
    writeFileSync(path, '');
    list = new WatchedList({
      ...{ variable: 'A_FILE', path, load, onChange, log: log as unknown as AppLog, lookMs: 5 },
    });
    await list.start();
  });
  afterAll(() => {
    list.stop();
    rmSync(folder, { recursive: true });
  });

  it('logs twenty unreadable lines and stores a hundred, all truncated', () => {
    expect(log.warn).toHaveBeenCalledTimes(21);
    expect(log.warn).toHaveBeenLastCalledWith(expect.any(String), { file: 'list.txt', lines: 230 });
    const { unreadable } = list.state;
    expect([unreadable.total, unreadable.lines.length]).toEqual([250, 100]);
    expect(unreadable.lines[99]).toEqual({ line: 100, text: 'x '.repeat(40) });
  });

  it('logs an unreadable file once, retries, and keeps its entries', async () => {
    fault = new Error('is a folder, not a file');
    const before = loads;
    await eventually('three more tries', () => loads > before + 3);
    expect(log.error).toHaveBeenCalledTimes(1);
    expect(list.state).toMatchObject({ entries: 7, error: fault.message });
    fault = null;
    await eventually('it is read again', () => list.state.error === null);
    expect(onChange).not.toHaveBeenCalled();
  });

  it('notifies listeners only if its entries change', async () => {
    version = 'second';
    await eventually('they are taken up', () => list.state.version === 'second');
    const before = loads;
    await eventually('three more', () => loads > before + 3);
    expect(onChange).toHaveBeenCalledTimes(1);
  });
});
