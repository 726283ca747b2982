import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Connection } from 'mongoose';
import { recorderEnvironment } from '../../../src/config/environment';
import { JournalReader } from '../../../src/clicks/journal/journal.reader';
import { JournalWriter } from '../../../src/clicks/journal/journal.writer';
import { aStoredLink, storedLink } from '../../support/shared/stored-link';
import { aClickEvent } from '../../support/shared/click-event';
import { clicksInChunks } from '../../support/click-store-reading';
import { QuietLogger } from '../../support/shared/quiet-logger';
import {
  dropTestDatabase,
  openTestDatabase,
  testDatabaseUri,
  TestMongo,
} from '../../support/test-database';
import { tsProcess } from '../../support/ts-process';
import type { RecorderCalls } from '../../../src/clicks/journal/journal.calls';

const uri = testDatabaseUri();
const runTs = path.join(__dirname, '../../support/run-ts.mjs');
const recorderSource = path.join(__dirname, '../../../src/clicks/recorder/recorder.process.ts');
let connection: Connection;
let dataDir: string;
let journalDir: string;
let alive: ChildProcess[] = [];

beforeAll(async () => {
  connection = await openTestDatabase(uri);
});
afterAll(() => dropTestDatabase(connection));
beforeEach(() => {
  dataDir = mkdtempSync(path.join(tmpdir(), 'curtail-kill-'));
  journalDir = path.join(dataDir, 'journal');
});
afterEach(async () => {
  await Promise.all(alive.map(kill));
  alive = [];
  rmSync(dataDir, { recursive: true, force: true });
});

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
}

async function startRecorder(): Promise<ChildProcess> {
  const settings = {
    mongo: new TestMongo(uri),
    clickHouse: null,
    dataDir,
    geoipDb: null,
    visitorSecret: 'a visitor secret of the tests',
  };
  const child = spawn(process.execPath, [runTs, recorderSource], {
    env: { ...process.env, ...recorderEnvironment(settings) },
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  alive.push(child);
  const [message] = await once(child, 'message');
  expect(message).toEqual({ curtail: 'ready', payload: {} });
  return child;
}

async function ask(child: ChildProcess, topic: keyof RecorderCalls): Promise<unknown> {
  child.send({ curtail: 'request', id: 1, topic, body: { timeoutMs: 60_000 } });
  const [message] = await once(child, 'message');
  return message;
}

const waiting = () => readdirSync(journalDir).filter((name) => name !== 'quarantine');

describe('kill -9', () => {
  it('of a journal’s writer loses no visit that has a response', async () => {
    for (const patience of [5, 20, 60]) {
      const child = spawn(process.execPath, tsProcess('visit.writer', journalDir, 'a'.repeat(24)), {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      alive.push(child);
      let output = '';
      child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
      while (output === '') await wait(5);
      await wait(patience);
      child.kill('SIGKILL');
      await once(child, 'close');
      const answered = output.split('\n').slice(0, -1).map(Number);
      const reader = new JournalReader(journalDir, new QuietLogger());
      const found = new Map<number, number>();
      for (const { name } of await reader.list()) {
        const { events = [] } = (await reader.read(name)) ?? {};
        for (const { at } of events) found.set(at, (found.get(at) ?? 0) + 1);
        await reader.remove(name);
      }
      expect(answered.length).toBeGreaterThan(0);
      expect(answered.filter((number) => found.get(number) !== 1)).toEqual([]);
      expect(waiting()).toEqual([]);
    }
  });

  it('of the recorder at any time, repeatedly, leaves exact totals', async () => {
    const links = await Promise.all(Array.from({ length: 300 }, () => aStoredLink(connection)));
    const writer = new JournalWriter({
      directory: journalDir,
      logger: new QuietLogger(),
      sealBytes: 500_000,
    });
    const round = 4;
    for (let kills = 0; kills < 4; kills++) {
      for (const linkId of links) {
        for (let i = 0; i < round; i++) writer.append(aClickEvent({ linkId }), () => undefined);
      }
      writer.seal();
      const recorder = await startRecorder();
      await wait(Math.random() * 500);
      await kill(recorder);
    }
    writer.close();
    const last = await startRecorder();
    expect(await ask(last, 'drain')).toEqual({ curtail: 'response', id: 1 });
    expect(await ask(last, 'status')).toMatchObject({ id: 1, body: { files: 0, bytes: 0 } });
    expect(waiting()).toEqual([]);
    const totals = await Promise.all(links.map((id) => storedLink(connection, id)));
    expect(totals.filter(({ total_clicks }) => total_clicks !== 4 * round)).toEqual([]);
    const counts = await Promise.all(links.map((id) => clicksInChunks(connection, id)));
    expect(counts.filter((count) => count !== 4 * round)).toEqual([]);
  });
});

describe('The recorder process', () => {
  it('ignores signals to its process group and exits at the request of its parent', async () => {
    const recorder = await startRecorder();
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) recorder.kill(signal);
    expect(await ask(recorder, 'status')).toMatchObject({ id: 1, body: { files: 0 } });
    recorder.send({ curtail: 'stop' });
    expect(await once(recorder, 'exit')).toEqual([0, null]);
  });

  it('exits when its parent exits', async () => {
    const recorder = await startRecorder();
    recorder.disconnect();
    expect(await once(recorder, 'exit')).toEqual([0, null]);
  });

  it('reports permanently that its city database is unreadable', async () => {
    const settings = {
      mongo: new TestMongo(uri),
      clickHouse: null,
      dataDir,
      geoipDb: path.join(dataDir, 'none'),
      visitorSecret: 'a visitor secret of the tests',
    };
    const child = spawn(process.execPath, [runTs, recorderSource], {
      env: { ...process.env, ...recorderEnvironment(settings) },
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    alive.push(child);
    const [message] = await once(child, 'message');
    expect(message).toMatchObject({ curtail: 'failed', permanent: true });
  });
});
