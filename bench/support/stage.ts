import { type ChildProcess, fork, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import mongoose from 'mongoose';
import { EmbeddedEngine } from '../../src/infrastructure/mongo/embedded-engine';
import { LinkSchema } from '../../src/stores/links/link.schema';
import { eventually, freePort } from '../../test/support/service';

const ROOT = join(__dirname, '..', '..', '..', '..');
const quiet = { info: () => undefined, warn: console.error, error: console.error };

const START_MS = 180_000;

export const SECRET = 'a secret of the benches';

export interface RunningService {
  process: ChildProcess;
  port: number;
}

export class Stage {
  private readonly children: ChildProcess[] = [];

  private constructor(
    readonly dir: string,
    readonly engine: EmbeddedEngine,
    readonly mongoUri: string,
    readonly connection: mongoose.Connection,
  ) {}

  static async open(): Promise<Stage> {
    const dir = mkdtempSync(join(tmpdir(), 'curtail-bench-'));
    const engine = new EmbeddedEngine({ dataDir: dir, logger: quiet });
    await engine.start();
    const mongoUri = engine.uri('bench');
    return new Stage(dir, engine, mongoUri, await mongoose.createConnection(mongoUri).asPromise());
  }

  async seedLinks(
    count: number,
    owner: mongoose.Types.ObjectId | null = null,
    own: (i: number) => object = () => ({}),
  ): Promise<void> {
    await storeLinks(this.connection, count, (i) => ({ owner, ...own(i) }));
  }

  async indexLinks(): Promise<void> {
    await this.connection.model('Link', LinkSchema).createIndexes();
  }

  async service(env: Record<string, string> = {}): Promise<RunningService> {
    const port = await freePort();
    const child = launch(port, {
      DATA_DIR: join(this.dir, `service-${port}`),
      MONGODB_URI: this.mongoUri,
      VISITOR_KEY: 'a visitor key that all services of a bench share',
      ...env,
    });
    this.children.push(child);
    await up(port);
    return { process: child, port };
  }

  async bareServer(count: number, workers = 1): Promise<{ process: ChildProcess; port: number }> {
    const port = await freePort();
    const child = fork(join(__dirname, '..', 'bare-server.js'), [
      ...[String(port), String(count), String(workers)],
    ]);
    this.children.push(child);
    await new Promise((resolve) => child.once('message', resolve));
    return { process: child, port };
  }

  async storedClicks(): Promise<number> {
    const [sum] = await this.connection
      .collection('links')
      .aggregate<{ clicks: number }>([{ $group: { _id: null, clicks: { $sum: '$total_clicks' } } }])
      .toArray();
    return sum?.clicks ?? 0;
  }

  /** Faster than `storedClicks`. Reads counters that the recorder writes after each batch. */
  async countedClicks(): Promise<number> {
    const days = await this.connection.collection<{ n: number }>('click_days').find().toArray();
    return days.reduce((sum, { n }) => sum + n, 0);
  }

  async endChildren(): Promise<void> {
    await Promise.all(this.children.splice(0).map((child) => end(child)));
  }

  async close(): Promise<void> {
    await this.endChildren();
    await this.connection.close();
    await this.engine.stop();
    rmSync(this.dir, { recursive: true, force: true });
  }
}

export async function storeLinks(
  connection: mongoose.Connection,
  count: number,
  own: (i: number) => object,
): Promise<void> {
  const links = connection.collection('links');
  for (let from = 0; from < count; from += 10_000) {
    await links.insertMany(
      Array.from({ length: Math.min(10_000, count - from) }, (_, i) => ({
        alias: `b${from + i}`,
        long_url: `https://example.com/target/${from + i}`,
        owner: null,
        generation: 'v2',
        created_at: new Date(),
        updated_at: null,
        status: 'ACTIVE',
        closed_by_limit: false,
        password_hash: null,
        max_clicks: null,
        slots_taken: 0,
        expire_after: null,
        block_bots: false,
        private_stats: false,
        total_clicks: 0,
        open_clicks: 0,
        last_click: null,
        touched_at: new Date(),
        destination_hosts: ['com.example.'],
        ...own(from + i),
      })),
    );
  }
}

export function launch(port: number, env: Record<string, string>): ChildProcess {
  return spawn(process.execPath, [join(ROOT, 'dist', 'main.js')], {
    env: {
      ...process.env,
      PORT: String(port),
      HOST: '127.0.0.1',
      JWT_SECRET: SECRET,
      TRUST_PROXY: 'loopback',
      LOG_LEVEL: 'warn',
      ...env,
    },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
}

export async function up(port: number): Promise<void> {
  await eventually('the service is up', () => healthy(port), START_MS);
}

async function healthy(port: number): Promise<boolean> {
  try {
    return (await fetch(`http://127.0.0.1:${port}/health`)).status === 200;
  } catch {
    return false;
  }
}

export async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  await ended;
}
