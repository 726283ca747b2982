import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, OnModuleDestroy } from '@nestjs/common';
import { AppLog } from './log';
import { withTimeout } from './with-timeout';

/** Delays tasks until the response has been sent, so that they do not compete for the CPU. */
const DELAY_MS = 100;
const STOP_TIMEOUT_MS = 2000;
/** Limits memory use, for example if the mail server is slow. */
const MAX_TASKS = 1000;

export interface RepeatedTask {
  /** A verb with its object, which completes the log line `Could not …`. */
  readonly name: string;
  /** Delay after the end of each run, so that runs never overlap. */
  readonly everyMs: number;
  /** Delay after a failure; `everyMs` by default. */
  readonly retryMs?: number;
  readonly run: () => Promise<void>;
}

/** Runs tasks after the response. Logs failed and dropped tasks. */
@Injectable()
export class BackgroundTasks implements OnModuleDestroy {
  private readonly running = new Set<Promise<void>>();
  private readonly timers = new Set<NodeJS.Timeout>();
  private stopped = false;

  constructor(private readonly log: AppLog) {}

  run(name: string, task: () => Promise<void>): void {
    if (this.running.size >= MAX_TASKS) {
      this.log.warn(`Background task dropped because too many are running: ${name}`);
      return;
    }
    const done = this.guarded(name, task).finally(() => this.running.delete(done));
    this.running.add(done);
  }

  /** Repeats a task until the service stops. */
  repeat(task: RepeatedTask, firstMs = task.everyMs): void {
    this.later(firstMs, async () => {
      const isDone = await this.attempt(task);
      this.repeat(task, isDone ? task.everyMs : task.retryMs);
    });
  }

  /** Repeats a task until it succeeds; resolves after the first attempt. */
  async retry(task: RepeatedTask): Promise<void> {
    if (!(await this.attempt(task))) this.later(task.everyMs, () => this.retry(task));
  }

  onModuleDestroy(): Promise<void> {
    this.stopped = true;
    for (const timer of this.timers) clearTimeout(timer);
    return this.settleTasks(STOP_TIMEOUT_MS);
  }

  /** Resolves when no task is running, or after the time limit. */
  async settleTasks(maxMs: number): Promise<void> {
    await withTimeout(Promise.all(this.running), maxMs, () => undefined);
  }

  private later(ms: number, run: () => Promise<void>): void {
    if (this.stopped) return;
    const timer = setTimeout(() => {
      this.timers.delete(timer);
      void run();
    }, ms).unref();
    this.timers.add(timer);
  }

  /** Logs failures only at debug level, because other code logs an unreachable database. */
  private async attempt({ name, run }: RepeatedTask): Promise<boolean> {
    try {
      await run();
      return true;
    } catch (err) {
      this.log.debug(`Could not ${name}; retrying`, { err });
      return false;
    }
  }

  private async guarded(name: string, task: () => Promise<void>): Promise<void> {
    await sleep(DELAY_MS);
    try {
      await task();
    } catch (error) {
      this.log.warn(`Background task failed: ${name}`, { err: error });
    }
  }
}
