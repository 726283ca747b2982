import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, OnModuleDestroy } from '@nestjs/common';
import { AppLog } from './log';
import { withTimeout } from './with-timeout';

/** Delays tasks until the current response is sent, so that they do not compete for the CPU. */
const DELAY_MS = 100;
const STOP_TIMEOUT_MS = 2000;
/** Bounds memory if, for example, the mail server is slow. */
const MAX_TASKS = 1000;

/** Runs tasks that no response waits for. Logs failed and dropped tasks. */
@Injectable()
export class BackgroundTasks implements OnModuleDestroy {
  private readonly running = new Set<Promise<void>>();

  constructor(private readonly log: AppLog) {}

  run(name: string, task: () => Promise<void>): void {
    if (this.running.size >= MAX_TASKS) {
      this.log.warn(`Background task dropped because too many are running: ${name}`);
      return;
    }
    const done = this.guarded(name, task).finally(() => this.running.delete(done));
    this.running.add(done);
  }

  onModuleDestroy(): Promise<void> {
    return this.settleTasks(STOP_TIMEOUT_MS);
  }

  /** Resolves when no task is running, or after the time limit. */
  async settleTasks(maxMs: number): Promise<void> {
    await withTimeout(Promise.all(this.running), maxMs, () => undefined);
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
