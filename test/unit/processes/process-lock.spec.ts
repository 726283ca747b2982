import { ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { tsProcess } from '../../support/ts-process';
import { acquireProcessLock } from '../../../src/processes/process-lock';
import { LockHeldError } from '../../../src/processes/processes.errors';
import { ownProcessIdentity } from '../../../src/processes/process-identity';

const folder = mkdtempSync(join(tmpdir(), 'curtail-lock-'));
const contenders: Contender[] = [];
let files = 0;

class Contender {
  readonly child: ChildProcess;
  private readonly lines: AsyncIterator<string>;

  constructor() {
    this.child = spawn(process.execPath, tsProcess('lock.contender'), {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    this.lines = createInterface({ input: this.child.stdout! })[Symbol.asyncIterator]();
    contenders.push(this);
  }

  async hear(): Promise<string> {
    return ((await this.lines.next()) as { value: string }).value;
  }

  async take(path: string): Promise<string> {
    this.child.stdin!.write(`${path}\n`);
    return this.hear();
  }

  async kill(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const exit = once(this.child, 'exit');
    this.child.kill('SIGKILL');
    await exit;
  }
}

async function aContender(): Promise<Contender> {
  const contender = new Contender();
  expect(await contender.hear()).toBe('here');
  return contender;
}

const aPath = () => join(folder, `lock-${(files += 1)}`);

/** Lock record left by a killed process. */
async function aStaleRecord(): Promise<Record<string, unknown>> {
  const path = aPath();
  const dead = await aContender();
  await dead.take(path);
  await dead.kill();
  return JSON.parse(readFileSync(path, 'utf8'));
}

afterEach(() => Promise.all(contenders.splice(0).map((contender) => contender.kill())));
afterAll(() => rmSync(folder, { recursive: true }));

describe('acquireProcessLock', () => {
  it('rejects a second holder and names the first one, until it releases the lock', async () => {
    const path = aPath();
    const lock = await acquireProcessLock(path, { waitMs: 0 });
    const other = await aContender();
    expect(await other.take(path)).toBe(`lost ${process.pid}`);
    await expect(acquireProcessLock(path, { waitMs: 0 })).rejects.toThrow(
      new LockHeldError(path, process.pid, hostname()),
    );
    lock.release();
    lock.release();
    expect(existsSync(path)).toBe(false);
    expect(await other.take(path)).toBe(`won ${other.child.pid}`);
  });

  it('waits for a holder that is exiting', async () => {
    const path = aPath();
    const other = await aContender();
    await other.take(path);
    const waiting = acquireProcessLock(path, { waitMs: 30_000 });
    await other.kill();
    (await waiting).release();
    expect(existsSync(path)).toBe(false);
  });

  it('lets exactly one of several processes take over the lock of a dead one', async () => {
    const record = await aStaleRecord();
    const rivals = await Promise.all(Array.from({ length: 4 }, aContender));
    for (let round = 0; round < 40; round += 1) {
      const path = aPath();
      writeFileSync(path, JSON.stringify(record));
      const answers = await Promise.all(rivals.map((rival) => rival.take(path)));
      const winners = answers.filter((answer) => answer.startsWith('won'));
      expect(winners).toHaveLength(1);
      const holder = JSON.parse(readFileSync(path, 'utf8'));
      expect(winners).toEqual([`won ${holder.pid}`]);
    }
    expect(readdirSync(folder).filter((name) => name.includes('.'))).toEqual([]);
  });

  it('takes over the lock even if an earlier takeover was killed before its end', async () => {
    const record = await aStaleRecord();
    const path = aPath();
    writeFileSync(path, JSON.stringify({ ...record, nonce: 'aaaaaaaaaaaa' }));
    writeFileSync(`${path}.aaaaaaaaaaaa`, JSON.stringify({ ...record, nonce: 'bbbbbbbbbbbb' }));
    const lock = await acquireProcessLock(path, { waitMs: 0 });
    expect(JSON.parse(readFileSync(path, 'utf8')).pid).toBe(process.pid);
    lock.release();
    expect(readdirSync(folder).filter((name) => name.includes('.'))).toEqual([]);
  });

  it('takes over the lock of a process whose id now belongs to another process', async () => {
    const path = aPath();
    const { pid, startTime } = ownProcessIdentity();
    const record = { pid, startTime: `${startTime}0`, host: hostname(), nonce: 'cccccccccccc' };
    writeFileSync(path, JSON.stringify(record));
    const lock = await acquireProcessLock(path, { waitMs: 0 });
    expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({ pid, startTime });
    lock.release();
  });

  it.each(['', '{"pid":', '{"pid":0,"startTime":null,"host":"h","nonce":"cccccccccccc"}'])(
    'takes over an invalid lock file: %j',
    async (text) => {
      const path = aPath();
      writeFileSync(path, text);
      const lock = await acquireProcessLock(path, { waitMs: 0 });
      expect(JSON.parse(readFileSync(path, 'utf8')).pid).toBe(process.pid);
      lock.release();
    },
  );

  it('respects a holder on another machine that has updated its lock within 10 s', async () => {
    const path = aPath();
    const record = { pid: 1, startTime: null, host: 'elsewhere', nonce: 'dddddddddddd' };
    writeFileSync(path, JSON.stringify(record));
    await expect(acquireProcessLock(path, { waitMs: 0 })).rejects.toThrow(
      'is held by process 1 on elsewhere',
    );
    const past = new Date(Date.now() - 10_500);
    utimesSync(path, past, past);
    (await acquireProcessLock(path, { waitMs: 0 })).release();
  });

  it('updates its lock every two seconds for other machines', async () => {
    jest.useFakeTimers();
    const path = aPath();
    const lock = await acquireProcessLock(path, { waitMs: 0 });
    const past = new Date(Date.now() - 60_000);
    utimesSync(path, past, past);
    jest.advanceTimersByTime(2_000);
    jest.useRealTimers();
    expect(statSync(path).mtimeMs).toBeGreaterThan(past.getTime() + 50_000);
    lock.release();
  });

  it('rethrows other errors, such as a missing folder', async () => {
    const path = join(folder, 'missing', 'lock');
    await expect(acquireProcessLock(path, { waitMs: 0 })).rejects.toThrow('ENOENT');
  });
});
