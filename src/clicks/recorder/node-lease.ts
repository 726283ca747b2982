import { createHash, randomBytes } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../../common/log';
import { readRegular } from '../../common/regular-file';
import type { NodeLeaseRecord, NodeLeaseRepository } from './node-lease.repository';
import { orSetAside, replaceFile } from './pending-batch';

export interface RecordingNode {
  readonly name: string;
  release(): Promise<void>;
}

/** Needs no lease, because the embedded database is not shared. */
export async function soleNode(dataDir: string, log: Logger): Promise<RecordingNode> {
  const name = await nodeId(dataDir, log);
  return { name, release: () => Promise.resolve() };
}

export type Inheritance =
  /** The clicks belong to this node, or to a dead node that it replaces. */
  | 'own'
  /** The clicks are copies that another running node records. */
  | 'copied';

export interface NodeLeaseTimes {
  /** A holder that does not renew its lease within this time is presumed dead. */
  leaseMs: number;
  renewalMs: number;
  /** Interval for checking a lease that another node holds. */
  lookMs: number;
}

export const LEASE_TIMES: NodeLeaseTimes = { leaseMs: 20_000, renewalMs: 5000, lookMs: 1000 };

export interface NodeLeaseOptions {
  dataDir: string;
  repository: NodeLeaseRepository;
  log: Logger;
  times: NodeLeaseTimes;
}

/**
 * A service started from a copy of DATA_DIR must not record under the same node name: batches with
 * lower numbers would be taken for repeated batches, and their clicks would be lost. A lease in
 * the database therefore protects the name. If another node holds the lease, even a dead one, the
 * recorder takes a new name. A name is reused only after its holder has released it.
 */
export class NodeLease implements RecordingNode {
  private node = '';
  private holder = '';
  private released = false;
  private timer?: NodeJS.Timeout;
  private renewal: Promise<void> = Promise.resolve();

  constructor(private readonly options: NodeLeaseOptions) {}

  get name(): string {
    return this.node;
  }

  /** If another node holds the lease, checks for some seconds whether that node is alive. */
  async acquire(): Promise<Inheritance> {
    const { dataDir, repository, log } = this.options;
    const place = await folderIdentity(dataDir);
    clearTimeout(this.timer);
    this.node = await nodeId(dataDir, log);
    this.holder = `${place}/${randomBytes(6).toString('hex')}`;
    for (;;) {
      const record = await repository.find(this.node);
      if (record === null) {
        if (!(await repository.claim(this.node, this.holder))) continue;
        return this.held('own');
      }
      if (record.holder === '' || record.holder.startsWith(`${place}/`)) {
        if (!(await repository.handOver(record, this.holder))) continue;
        return this.held('own');
      }
      log.info(
        'Another machine or a copy of DATA_DIR used this node name; checking whether it is still running',
        {
          node: this.node,
        },
      );
      const alive = await this.isAlive(record);
      // A node that was only suspended must notice that its clicks are recorded here.
      if (!alive && !(await repository.handOver(record, ''))) continue;
      await this.rename(alive);
      return this.held(alive ? 'copied' : 'own');
    }
  }

  async release(): Promise<void> {
    this.released = true;
    clearTimeout(this.timer);
    await this.renewal;
    if (this.node === '') return;
    await this.options.repository.release(this.node, this.holder);
  }

  private held(inheritance: Inheritance): Inheritance {
    if (this.released) return inheritance;
    this.timer = setTimeout(() => {
      this.renewal = this.renew();
    }, this.options.times.renewalMs).unref();
    return inheritance;
  }

  private async renew(): Promise<void> {
    const { repository, log } = this.options;
    try {
      if (!(await repository.renew(this.node, this.holder))) {
        log.error(
          'This node was presumed dead, and a copy of its DATA_DIR took over its name; clicks ' +
            'waiting in the journal may be counted twice',
          { node: this.node },
        );
        await this.rename(true);
      }
    } catch {
      // The database is unreachable, so other nodes cannot see a renewal either.
    }
    this.held('own');
  }

  private async isAlive(seen: NodeLeaseRecord): Promise<boolean> {
    const { leaseMs, lookMs } = this.options.times;
    for (let waited = 0; waited < leaseMs; waited += lookMs) {
      await sleep(lookMs);
      const now = await this.options.repository.find(seen._id);
      if (now?.renewals !== seen.renewals) return true;
    }
    return false;
  }

  private async rename(alive: boolean): Promise<void> {
    const { dataDir, repository, log } = this.options;
    const former = this.node;
    do {
      this.node = await newNodeId(dataDir);
    } while (!(await repository.claim(this.node, this.holder)));
    log.warn(
      alive
        ? 'DATA_DIR is a copy of a folder that is in use elsewhere; this node will record under a new name'
        : 'DATA_DIR was moved after a crash; this node will record under a new name',
      { former, node: this.node },
    );
  }
}

async function nodeId(dataDir: string, log: Logger): Promise<string> {
  const known = await orSetAside(log, readRegular(path.join(dataDir, 'node-id')));
  const name = known?.trim() ?? '';
  return /^[0-9a-f]{8}$/.test(name) ? name : newNodeId(dataDir);
}

async function newNodeId(dataDir: string): Promise<string> {
  const fresh = randomBytes(4).toString('hex');
  await replaceFile(path.join(dataDir, 'node-id'), `${fresh}\n`);
  return fresh;
}

/** Identifies this folder on this machine, but reveals neither. */
async function folderIdentity(dataDir: string): Promise<string> {
  const machine = await readFile('/etc/machine-id', 'utf8').catch(() => '');
  const { dev, ino } = await stat(dataDir, { bigint: true });
  const text = [hostname(), machine.trim(), dev, ino].join('\0');
  return createHash('sha256').update(text).digest('hex').slice(0, 24);
}
