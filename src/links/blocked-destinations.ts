import { join } from 'node:path';
import { Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { BlocklistOptions } from '../config/options';
import { AppLog } from '../common/log';
import { RpcError } from '../processes/rpc/rpc';
import { WorkerThread } from '../processes/worker-thread';
import type { PatternVerdict } from './destination-patterns';

/** How long a destination waits for its turn and its check; the check itself ends sooner. */
const WAIT_MS = 2000;
/** Far longer than a check may take: a thread that is later hangs. */
const HANG_MS = 10_000;
/** Destinations that wait at the same time; each has at most 2048 characters. */
const MAX_WAITING = 100;

type Verdict = PatternVerdict['verdict'];

/** The calls that the thread answers. */
export interface BlocklistCalls {
  judge: { request: string; response: PatternVerdict };
}

interface Check {
  readonly destination: string;
  readonly conclude: (verdict: Verdict) => void;
}

/**
 * The operator's list (docs/contract.md#5.2): regular expressions, case-insensitive. A thread of its
 * own tries them, one destination at a time, because an expression that backtracks for long would
 * hold up every request of this process. A destination that cannot be checked in time counts as
 * unfinished and is to be refused.
 */
@Injectable()
export class BlockedDestinations implements OnModuleInit, OnApplicationShutdown {
  private readonly sources: readonly string[];
  private readonly waiting: Check[] = [];
  private readonly slow = new Set<number>();
  private readonly thread: WorkerThread<BlocklistCalls>;
  private busy = false;
  private stopped = false;

  constructor(
    options: BlocklistOptions,
    private readonly log: AppLog,
  ) {
    this.sources = options.patterns.filter((line) => isRegularExpression(line, log));
    this.thread = new WorkerThread({
      name: 'block list',
      script: join(__dirname, 'blocked-destinations.worker.js'),
      workerData: { sources: this.sources },
      // Nothing of the environment is needed there.
      env: {},
    });
  }

  /** Patterns are compiled before the first destination comes. */
  onModuleInit(): void {
    if (this.sources.length > 0) this.thread.start();
  }

  async onApplicationShutdown(): Promise<void> {
    this.stopped = true;
    await this.thread.stop();
  }

  /** @param destination an acceptable one */
  judge(destination: string): Promise<Verdict> {
    if (this.sources.length === 0) return Promise.resolve('allowed');
    if (this.waiting.length >= MAX_WAITING || this.stopped) return Promise.resolve('unfinished');
    return new Promise((resolve) => {
      const deadline = setTimeout(() => this.giveUp(check), WAIT_MS);
      const check: Check = {
        destination,
        conclude: (verdict) => {
          clearTimeout(deadline);
          resolve(verdict);
        },
      };
      this.waiting.push(check);
      void this.checkWaiting();
    });
  }

  /** One at a time, in the order in which they came. */
  private async checkWaiting(): Promise<void> {
    if (this.busy) return;
    this.busy = true;
    for (let check = this.waiting.shift(); check !== undefined; check = this.waiting.shift()) {
      // A call would start the thread anew.
      check.conclude(this.stopped ? 'unfinished' : await this.verdictOn(check.destination));
    }
    this.busy = false;
  }

  private async verdictOn(destination: string): Promise<Verdict> {
    try {
      const { verdict, pattern } = await this.thread.call('judge', destination, HANG_MS);
      if (verdict === 'unfinished') this.tellOfSlow(pattern);
      return verdict;
    } catch (error) {
      if (!this.stopped) this.log.error('The thread of the block list has failed', { err: error });
      if (error instanceof RpcError && error.kind === 'timeout') await this.thread.stop();
      return 'unfinished';
    }
  }

  private tellOfSlow(pattern: number): void {
    if (this.slow.has(pattern)) return;
    this.slow.add(pattern);
    this.log.warn('A line of BLOCKED_URLS_FILE takes too long: what it is tried on is refused', {
      line: this.sources[pattern],
    });
  }

  private giveUp(check: Check): void {
    check.conclude('unfinished');
    const place = this.waiting.indexOf(check);
    if (place !== -1) this.waiting.splice(place, 1);
  }
}

function isRegularExpression(line: string, log: AppLog): boolean {
  try {
    new RegExp(line, 'i');
    return true;
  } catch {
    log.warn('A line of BLOCKED_URLS_FILE is no regular expression and is ignored', { line });
    return false;
  }
}
