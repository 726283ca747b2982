import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createConnection, type Connection } from 'mongoose';
import { EmbeddedEngine } from '../../../src/infrastructure/mongo/embedded-engine';
import { isSameProcessAlive } from '../../../src/processes/process-identity';
import { RecordingLogger } from '../../support/shared/recording-logger';
import { tsProcess } from '../../support/ts-process';

const JOURNALLED = { writeConcern: { w: 1, j: true } } as const;

const folders: string[] = [];
const engines: EmbeddedEngine[] = [];
const connections: Connection[] = [];

function aDataDir(): string {
  const folder = mkdtempSync(join(tmpdir(), 'curtail-engine-'));
  folders.push(folder);
  return folder;
}

function anEngine(dataDir: string, lockWaitMs?: number) {
  const logger = new RecordingLogger();
  const engine = new EmbeddedEngine({ dataDir, logger, lockWaitMs });
  engines.push(engine);
  return { engine, logger };
}

async function connect(uri: string): Promise<Connection> {
  const options = { serverSelectionTimeoutMS: 20_000, heartbeatFrequencyMS: 500 };
  const connection = await createConnection(uri, options).asPromise();
  connections.push(connection);
  return connection;
}

function socketOf(engine: EmbeddedEngine): string {
  return decodeURIComponent(engine.uri('any').split('/')[2]!);
}

afterEach(async () => {
  await Promise.all(connections.splice(0).map((connection) => connection.close()));
  await Promise.all(engines.splice(0).map((engine) => engine.stop()));
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

describe('The embedded engine', () => {
  it('keeps written data after a clean stop and leaves no socket', async () => {
    const dataDir = aDataDir();
    const { engine: first } = anEngine(dataDir);
    await first.start();
    const writer = await connect(first.uri('kept'));
    await writer.collection('things').insertOne({ name: 'one' });
    await writer.close();
    const socket = socketOf(first);
    expect(existsSync(socket)).toBe(true);
    const pid = first.pid!;
    await first.stop();
    expect(isSameProcessAlive({ pid, startTime: null })).toBe(false);
    expect(existsSync(dirname(socket))).toBe(false);

    const { engine: second } = anEngine(dataDir);
    await second.start();
    expect(second.uri('kept')).toBe(first.uri('kept'));
    const reader = await connect(second.uri('kept'));
    expect(await reader.collection('things').countDocuments({ name: 'one' })).toBe(1);
  });

  it('is repaired after SIGKILL with the same address and connection, and loses no confirmed write', async () => {
    const { engine, logger } = anEngine(aDataDir());
    await engine.start();
    const things = (await connect(engine.uri('repaired'))).collection<{ n: number }>('things');
    await things.createIndex({ n: 1 }, { unique: true }, {});
    const pid = engine.pid!;
    const acknowledged: number[] = [];
    const writing = (async () => {
      for (let n = 0; ; n += 1) {
        await things.insertOne({ n }, JOURNALLED);
        acknowledged.push(n);
        if (n === 200) process.kill(pid, 'SIGKILL');
      }
    })();
    const [down, up] = [once(engine, 'down'), once(engine, 'up')];
    await expect(writing).rejects.toThrow();
    await down;
    await up;

    expect(engine.pid).not.toBe(pid);
    const stored = await things.find().sort({ n: 1 }).toArray();
    expect(stored.map(({ n }) => n)).toEqual(expect.arrayContaining(acknowledged));
    expect(acknowledged.length).toBeGreaterThan(200);
    await expect(things.insertOne({ n: 0 })).rejects.toMatchObject({ code: 11000 });
    expect(logger.lines.filter((line) => line.startsWith('error'))).toEqual([
      'error The engine process ended (signal SIGKILL); restarting it in 100 ms',
    ]);
    // The killed process's socket is deleted. The link and the new folder remain.
    expect(readdirSync(dirname(socketOf(engine)))).toHaveLength(2);
  });

  it('rejects a folder that another engine has open, and reports it', async () => {
    const dataDir = aDataDir();
    const { engine: first } = anEngine(dataDir);
    await first.start();
    const { engine: second } = anEngine(dataDir, 100);
    await expect(second.start()).rejects.toThrow(
      `Another process has the database ${join(dataDir, 'mongo')} open`,
    );
    const connection = await connect(first.uri('still'));
    expect(await connection.collection('things').countDocuments()).toBe(0);
  });

  it('waits for the exit of an engine whose parent was killed', async () => {
    const dataDir = aDataDir();
    const parent = spawn(process.execPath, tsProcess('engine.parent', dataDir), {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [line] = (await once(parent.stdout, 'data')) as [Buffer];
    parent.kill('SIGKILL');

    const { engine, logger } = anEngine(dataDir);
    await engine.start();
    const connection = await connect(engine.uri('next'));
    expect(await connection.collection('things').countDocuments()).toBe(0);
    expect(isSameProcessAlive({ pid: Number(line.toString()), startTime: null })).toBe(false);
    expect(logger.lines.filter((entry) => entry.startsWith('error'))).toEqual([]);
  });

  it('says how to fix a database that an interrupted first start has left', async () => {
    const folder = join(aDataDir(), 'mongo');
    mkdirSync(folder);
    writeFileSync(join(folder, 'WiredTiger'), 'WiredTiger\n');
    writeFileSync(join(folder, 'WiredTiger.turtle'), '');
    const { engine } = anEngine(dirname(folder));
    await expect(engine.start()).rejects.toThrow(
      `signal SIGABRT. The database in ${folder} may be damaged: move this folder away, then ` +
        'restore a backup, or start with an empty database',
    );
    expect(existsSync(join(folder, 'WiredTiger.turtle'))).toBe(true);
  });

  it('reports the workaround if it cannot open its database', async () => {
    const dataDir = aDataDir();
    mkdirSync(join(dataDir, 'mongo'));
    writeFileSync(join(dataDir, 'mongo', 'mongod.lock'), '');
    mkdirSync(join(dataDir, 'mongo', 'storage.bson'));
    const { engine } = anEngine(dataDir);
    await expect(engine.start()).rejects.toThrow(
      /The embedded MongoDB cannot be used.*MONGODB_URI/,
    );
    expect(engine.pid).toBeUndefined();
  });
});
