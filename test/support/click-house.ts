import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ClickHouseOptions } from '../../src/engines/click-house/click-house';
import { eventually } from './shared/eventually';
import { endAfterFile } from './left-running';
import { programPath } from './programs';
import { freePort } from './service';

export const clickHouseInstalled = programPath('clickhouse-server') !== null;

export function clickHouseOptionsOf(url: string): ClickHouseOptions {
  const { origin, pathname } = new URL(url);
  const access = { user: 'default', password: '', cluster: null };
  return { url: origin, database: pathname.slice(1), ...access };
}

/** A cluster shard, identified by its native protocol port. */
export interface TestShard {
  readonly tcpPort: number;
}

interface Ports extends TestShard {
  readonly port: number;
}

export class TestClickHouse {
  private child?: ChildProcess;

  private constructor(
    readonly ports: Ports,
    private readonly folder: string,
    private readonly shards: readonly TestShard[],
  ) {}

  static async start(): Promise<TestClickHouse> {
    return TestClickHouse.with({ port: await freePort(), tcpPort: await freePort() }, []);
  }

  static async startCluster(count: number): Promise<TestClickHouse[]> {
    const ports: Ports[] = [];
    for (let shard = 0; shard < count; shard += 1) {
      ports.push({ port: await freePort(), tcpPort: await freePort() });
    }
    return Promise.all(ports.map((own) => TestClickHouse.with(own, ports)));
  }

  private static async with(ports: Ports, shards: readonly TestShard[]): Promise<TestClickHouse> {
    const folder = mkdtempSync(join(tmpdir(), 'curtail-clickhouse-'));
    const server = new TestClickHouse(ports, folder, shards);
    await server.resume();
    return server;
  }

  get pid(): number {
    return this.child?.pid ?? 0;
  }

  get url(): string {
    return `http://127.0.0.1:${this.ports.port}`;
  }

  options(
    database = `t${randomBytes(6).toString('hex')}`,
    cluster: string | null = null,
  ): ClickHouseOptions {
    return { url: this.url, user: 'default', password: '', database, cluster };
  }

  async resume(): Promise<void> {
    mkdirSync(join(this.folder, 'data'), { recursive: true });
    writeFileSync(join(this.folder, 'config.xml'), configOf(this.folder, this.ports, this.shards));
    writeFileSync(join(this.folder, 'users.xml'), USERS);
    const options = [`--config-file=${join(this.folder, 'config.xml')}`];
    this.child = spawn('clickhouse-server', options, { stdio: 'ignore', cwd: this.folder });
    endAfterFile(() => this.remove());
    await eventually('ClickHouse answers', () => this.isHealthy());
  }

  /** Freezes the server: connections stay open, but requests get no response. */
  freeze(): void {
    this.child?.kill('SIGSTOP');
  }

  thaw(): void {
    this.child?.kill('SIGCONT');
  }

  async kill(): Promise<void> {
    const { child } = this;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await ended;
  }

  async remove(): Promise<void> {
    await this.kill();
    rmSync(this.folder, { recursive: true, force: true });
  }

  private async isHealthy(): Promise<boolean> {
    const answer = await fetch(`${this.url}/ping`).catch(() => null);
    return answer?.status === 200;
  }
}

const USERS = `<yandex><profiles><default/></profiles><quotas><default/></quotas><users><default>
<password/><networks><ip>127.0.0.1</ip></networks><profile>default</profile><quota>default</quota>
</default></users></yandex>`;

function configOf(folder: string, ports: Ports, shards: readonly TestShard[]): string {
  const replicas = shards.map(
    ({ tcpPort }) =>
      `<shard><replica><host>127.0.0.1</host><port>${tcpPort}</port></replica></shard>`,
  );
  const cluster =
    shards.length === 0
      ? ''
      : `<remote_servers><shards>${replicas.join('')}</shards></remote_servers>`;
  return `<yandex>
<logger><level>error</level><log>${folder}/log</log><errorlog>${folder}/errors</errorlog></logger>
<listen_host>127.0.0.1</listen_host><http_port>${ports.port}</http_port><tcp_port>${ports.tcpPort}</tcp_port>
<path>${folder}/data/</path><tmp_path>${folder}/tmp/</tmp_path><user_files_path>${folder}/files/</user_files_path>
<users_config>${folder}/users.xml</users_config>
<default_profile>default</default_profile><default_database>default</default_database>
<mark_cache_size>67108864</mark_cache_size><timezone>UTC</timezone>${cluster}
</yandex>`;
}
