import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { BlocklistOptions } from '../config/options';
import { AppLog } from '../common/log';
import type { PatternVerdict } from './destination-patterns';

/** How long a destination waits for its turn and its check; the check itself ends sooner. */
const WAIT_MS = 2000;
/** Destinations that wait at the same time; each has at most 2048 characters. */
const MOST_WAITING = 100;

type Verdict = PatternVerdict['verdict'];

interface Check {
  readonly destination: string;
  readonly settle: (verdict: Verdict) => void;
}

/**
 * The operator's list (docs/contract.md#5.2): regular expressions, case-insensitive. A thread of its
 * own tries them, one destination at a time, because an expression that backtracks for long would hold up every request of this process. What cannot be checked in
 * time counts as unfinished and is to be refused.
 */
@Injectable()
export class BlockedDestinations implements OnModuleInit, OnApplicationShutdown {
  private readonly sources: readonly string[];
  private readonly waiting: Check[] = [];
  private readonly slow = new Set<number>();
  private current: Check | undefined;
  private worker: Worker | undefined;
  private ready = false;
  private stopped = false;

  constructor(
    options: BlocklistOptions,
    private readonly log: AppLog,
  ) {
    this.sources = options.patterns.filter((line) => isRegularExpression(line, log));
  }

  onModuleInit(): void {
    if (this.sources.length > 0) this.start();
  }

  async onApplicationShutdown(): Promise<void> {
    this.stopped = true;
    await this.worker?.terminate();
  }

  /** @param destination an acceptable one */
  judge(destination: string): Promise<Verdict> {
    if (this.sources.length === 0) return Promise.resolve('allowed');
    if (this.waiting.length >= MOST_WAITING || this.stopped) return Promise.resolve('unfinished');
    return new Promise((resolve) => {
      const deadline = setTimeout(() => this.giveUp(check), WAIT_MS);
      const check: Check = {
        destination,
        settle: (verdict) => {
          clearTimeout(deadline);
          resolve(verdict);
        },
      };
      this.waiting.push(check);
      this.next();
    });
  }

  private start(): void {
    const worker = new Worker(join(__dirname, 'blocked-destinations.worker.js'), {
      workerData: { sources: this.sources },
      // Nothing of the environment is needed there.
      env: {},
    });
    this.worker = worker;
    this.ready = false;
    // It must not keep the program from ending.
    worker.unref();
    worker.on('message', (message: 'ready' | PatternVerdict) => {
      if (message === 'ready') this.ready = true;
      else this.finish(message);
      this.next();
    });
    worker.on('error', (err) => this.log.error('The thread of the block list has failed', { err }));
    worker.on('exit', () => this.lost(worker));
  }

  private next(): void {
    if (this.current !== undefined || this.waiting.length === 0) return;
    if (this.worker === undefined) this.start();
    if (!this.ready) return;
    this.current = this.waiting.shift();
    this.worker?.postMessage(this.current?.destination);
  }

  private finish({ verdict, pattern }: PatternVerdict): void {
    this.current?.settle(verdict);
    this.current = undefined;
    if (verdict !== 'unfinished' || this.slow.has(pattern)) return;
    this.slow.add(pattern);
    this.log.warn('A line of BLOCKED_URLS_FILE takes too long: what it is tried on is refused', {
      line: this.sources[pattern],
    });
  }

  /** The time of a check is over, in the queue or, should the thread hang, in the thread. */
  private giveUp(check: Check): void {
    check.settle('unfinished');
    const place = this.waiting.indexOf(check);
    if (place !== -1) this.waiting.splice(place, 1);
    else if (check === this.current) void this.worker?.terminate();
  }

  private lost(worker: Worker): void {
    if (worker !== this.worker) return;
    this.current?.settle('unfinished');
    this.current = undefined;
    this.worker = undefined;
    this.ready = false;
    if (!this.stopped) this.next();
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
