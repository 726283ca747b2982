import { type ChildProcess, spawn } from 'node:child_process';
import { createHash, randomBytes, randomInt } from 'node:crypto';
import { once } from 'node:events';
import {
  closeSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { MongoClient } from 'mongodb';
import { isRunning, keepsProcesses, type KeptProcess, keptProcess } from './kept-processes';
import { endAfterFile } from './left-running';
import { requireOutside } from './outside';
import { descendantsOf } from './processes';
import { engineSocket, engineUri } from '../../src/infrastructure/mongo/socket-folder';

export { eventually } from './shared/eventually';

/** Shorter than a hook's timeout, so that failures show the service's log. */
const START_MS = 100_000;
const END_MS = 15_000;
/** Timeout for each request, because a listener that never responds must not block the test. */
const HEALTH_MS = 5000;
/** Below the range that the system uses for outgoing connections and `listen(0)`. */
const PORTS = { from: 20_000, to: 32_000 };
const MAIN = join(__dirname, '..', '..', 'dist', 'main.js');
const CHEAP_HASHING = join(__dirname, 'processes', 'cheap-hashing.cjs');
/** Uses cheap password hashes (one millisecond). */
const PROGRAM = [process.execPath, '-r', CHEAP_HASHING, MAIN] as const;

/** JWT_SECRET for services with an external MongoDB. */
export const TEST_SECRET = 'a secret of the end-to-end tests';

export interface ServiceOptions {
  /** Prevents sharing the service, even with default settings. */
  own?: boolean;
  /** Added to the defaults; undefined removes a default. */
  env?: Record<string, string | undefined>;
  dataDir?: string;
  database?: string;
  embedded?: boolean;
  clickHouse?: string;
  mongoUri?: string;
  port?: number;
  group?: boolean;
  command?: readonly [string, ...string[]];
  /** Hashes passwords at the program's normal cost, for tests that depend on the hashing time. */
  realHashing?: boolean;
}

interface Place {
  readonly port: number;
  readonly dataDir: string;
  readonly database: string;
  readonly mongoUri: string;
  readonly clickHouse: string | null;
}

export interface Service extends Place {
  readonly url: string;
  readonly process: Pick<ChildProcess, 'pid' | 'exitCode'>;
  readonly isShared: boolean;
  /** Returns all output; for a shared service, only since this file started, also by other files. */
  log(): string;
  stop(): Promise<number | null>;
  kill(signal: NodeJS.Signals): Promise<void>;
  signalGroup(signal: NodeJS.Signals): Promise<number | null>;
}

const ports = new Set<string>();
const sharedPorts = new Set<string>();

/** Reports whether a URL belongs to a service used by this file. */
export function isServiceUrl({ hostname, port }: URL): boolean {
  return (hostname === '127.0.0.1' || hostname === 'localhost') && ports.has(port);
}

/** Reports whether a URL belongs to a service shared with other files. */
export function isSharedUrl(url: URL): boolean {
  return isServiceUrl(url) && sharedPorts.has(url.port);
}

/**
 * Starts the built service on a free loopback port and waits until it is healthy. With default
 * settings, returns the service shared by the files of this run.
 */
export async function startService(options: ServiceOptions = {}): Promise<Service> {
  const { env = {}, own = false, ...others } = options;
  const isDefault = !own && [...Object.keys(env), ...Object.keys(others)].length === 0;
  return isDefault && keepsProcesses() ? sharedService() : ownService(options);
}

async function choosePlace(options: ServiceOptions = {}): Promise<Place> {
  const port = options.port ?? (await freePort());
  const dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), 'curtail-test-'));
  const database = options.database ?? `t${randomBytes(6).toString('hex')}`;
  const mongoUri = options.embedded
    ? engineUri(engineSocket(dataDir), 'curtail')
    : (options.mongoUri ?? (process.env.CURTAIL_TEST_MONGO ?? '').replace('%DB%', database));
  const clickHouse = options.clickHouse ?? clickHouseUrl(options.embedded ? dataDir : database);
  ports.add(String(port));
  return { port, dataDir, database, mongoUri, clickHouse };
}

function environmentAt(place: Place, { embedded, env }: ServiceOptions = {}): NodeJS.ProcessEnv {
  return {
    PATH: process.env.PATH,
    HOME: process.env.HOME,
    XDG_CACHE_HOME: process.env.XDG_CACHE_HOME,
    TMPDIR: process.env.TMPDIR,
    PORT: String(place.port),
    HOST: '127.0.0.1',
    BASE_URL: `http://localhost:${place.port}`,
    DATA_DIR: place.dataDir,
    TRUST_PROXY: 'loopback',
    COOKIE_SECURE: 'false',
    CLICKHOUSE_URL: place.clickHouse ?? undefined,
    ...(embedded
      ? {}
      : {
          MONGODB_URI: place.mongoUri,
          JWT_SECRET: TEST_SECRET,
          VISITOR_KEY: 'a visitor key of the end-to-end tests',
        }),
    ...env,
  };
}

async function ownService(options: ServiceOptions): Promise<Service> {
  const place = await choosePlace(options);
  const [program, ...args] =
    options.command ?? (options.realHashing ? ([process.execPath, MAIN] as const) : PROGRAM);
  const child = spawn(program, args, {
    env: environmentAt(place, options),
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: options.group ?? false,
  });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  void ended.then(endAfterFile(() => endTree(child, ended)));
  if (hasNewDatabase(options)) endAfterFile(() => ended.then(() => dropDatabase(place)));
  const service: Service = {
    ...place,
    url: `http://127.0.0.1:${place.port}`,
    process: child,
    isShared: false,
    log: () => output,
    stop: async () => {
      child.kill('SIGTERM');
      const code = await ended;
      if (options.dataDir === undefined) rmSync(place.dataDir, { recursive: true, force: true });
      return code;
    },
    kill: async (signal) => {
      child.kill(signal);
      await ended;
    },
    signalGroup: async (signal) => {
      process.kill(-(child.pid ?? 0), signal);
      return ended;
    },
  };
  await ready(service, Number(options.env?.WEB_CONCURRENCY ?? 1));
  return service;
}

function hasNewDatabase({ database, embedded, mongoUri }: ServiceOptions): boolean {
  return database === undefined && !embedded && mongoUri === undefined;
}

/** With hundreds of databases, the engine's checkpoints would delay other tests. */
async function dropDatabase({ mongoUri }: Place): Promise<void> {
  const mongodb = requireOutside('mongodb') as { MongoClient: typeof MongoClient };
  const client = new mongodb.MongoClient(mongoUri);
  await client.db().dropDatabase();
  await client.close();
}

async function sharedService(): Promise<Service> {
  const place = await keptProcess('service', startShared);
  ports.add(String(place.port));
  sharedPorts.add(String(place.port));
  const log = logFile(place);
  const { size } = statSync(log);
  const service: Service = {
    ...place,
    url: `http://127.0.0.1:${place.port}`,
    process: { pid: place.pid, exitCode: null },
    isShared: true,
    log: () => readFileSync(log).subarray(size).toString(),
    stop: () =>
      isRunning(place.pid)
        ? Promise.resolve(0)
        : Promise.reject(new Error(`The shared service has ended:\n${service.log()}`)),
    kill: refuse,
    signalGroup: refuse,
  };
  return service;
}

/** Settings of the shared service. Its other settings are the program's defaults. */
function sharedSettings(folder: string): Record<string, string> {
  const rows = ['create', 'read', 'run', 'change', 'rows', 'report'].map((row) => `imports.${row}`);
  const limits = Object.fromEntries([...rows, 'links.export'].map((row) => [row, 'off']));
  const [LIMITS_FILE, BLOCKED_URLS_FILE] = [
    join(folder, 'test-limits.json'),
    join(folder, 'test-list.txt'),
  ];
  writeFileSync(LIMITS_FILE, JSON.stringify(limits));
  writeFileSync(BLOCKED_URLS_FILE, 'blocked\\.example\n^(a+)+$\n');
  return {
    ...{ LIMITS_FILE, BLOCKED_URLS_FILE },
    IMPORT_MAX_BYTES: '65536',
    OUTBOUND_ALLOWED_NETWORKS: '127.0.0.1',
  };
}

/** Logs to a file, because pipes would close at the end of the test file. */
async function startShared(): Promise<Place & KeptProcess> {
  const place = await choosePlace();
  const env = sharedSettings(place.dataDir);
  const log = openSync(logFile(place), 'a');
  const [program, ...args] = PROGRAM;
  const child = spawn(program, args, {
    env: environmentAt(place, { env }),
    stdio: ['ignore', log, log],
  });
  child.unref();
  closeSync(log);
  const { pid = 0 } = child;
  const url = `http://127.0.0.1:${place.port}`;
  await ready({ url, process: child, log: () => readFileSync(logFile(place), 'utf8') }, 1);
  return { ...place, pid, folder: place.dataDir };
}

function logFile({ dataDir }: Place): string {
  return join(dataDir, 'test.log');
}

function refuse(): Promise<never> {
  return Promise.reject(new Error('A shared service is not stopped: start one with `own: true`'));
}

export function clickHouseUrl(name: string): string | null {
  const server = process.env.CURTAIL_TEST_CLICKHOUSE;
  if (server === undefined) return null;
  return `${server}/t${createHash('sha256').update(name).digest('hex').slice(0, 16)}`;
}

/**
 * Ends a process cleanly if possible; otherwise kills it with all children, even stopped ones.
 */
async function endTree(child: ChildProcess, ended: Promise<unknown>): Promise<void> {
  const all = child.pid === undefined ? [] : [child.pid, ...descendantsOf(child.pid)];
  child.kill('SIGTERM');
  const inTime = await Promise.race([ended.then(() => true), sleep(END_MS, false, { ref: false })]);
  if (inTime) return;
  for (const pid of all) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // The process has ended.
    }
  }
  await ended;
}

async function ready(
  service: Pick<Service, 'url' | 'process' | 'log'>,
  workers: number,
): Promise<void> {
  const deadline = Date.now() + START_MS;
  for (;;) {
    if (service.process.exitCode !== null) throw new Error(`The service ended:\n${service.log()}`);
    // Until all processes listen, one of them may answer every time.
    const isListening = workers === 1 || service.log().includes('Ready: open');
    if (isListening && (await isHealthy(service.url, workers))) return;
    if (Date.now() > deadline) throw new Error(`The service is not ready:\n${service.log()}`);
    await sleep(50);
  }
}

/** Requests at the same time reach all web processes; one after the other, perhaps only one. */
async function isHealthy(url: string, workers: number): Promise<boolean> {
  const requests = Array.from({ length: workers === 1 ? 1 : 8 * workers }, () =>
    fetch(`${url}/health`, {
      headers: { Connection: 'close' },
      signal: AbortSignal.timeout(HEALTH_MS),
    }),
  );
  // Fails while the service is not listening.
  const answers = await Promise.all(requests).catch(() => []);
  return answers.length > 0 && answers.every(({ status }) => status === 200);
}

/** Returns a free loopback port outside the range that the system assigns. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(PORTS.from, PORTS.to);
    if (await isFree(port)) return port;
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  try {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    return true;
  } catch {
    return false;
  } finally {
    server.close();
  }
}
