import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Module, OnModuleDestroy } from '@nestjs/common';
import { AppLog } from './log';
import { withTimeout } from './with-timeout';

/** Long enough for an answer under way to have left, so that it does not share the machine. */
const DELAY_MS = 100;
const STOP_TIMEOUT_MS = 2000;
/** A mail server that is slow must not make this process keep ever more of them. */
const MAX_TASKS = 1000;

/**
 * Work that nobody waits for, such as a welcome mail. A task starts a tenth of a second later,
 * so that an answer under way takes the same time whatever the task does; its failure is logged,
 * and so is a task that is dropped because a thousand are under way.
 * A stopping service gives what is under way two seconds.
 */
@Injectable()
export class BackgroundTasks implements OnModuleDestroy {
  private readonly running = new Set<Promise<void>>();

  constructor(private readonly log: AppLog) {}

  /** @param name what the log says when it fails */
  run(name: string, task: () => Promise<void>): void {
    if (this.running.size >= MAX_TASKS) {
      this.log.warn(`Background task dropped, too many are running: ${name}`);
      return;
    }
    const done = this.guarded(name, task).finally(() => this.running.delete(done));
    this.running.add(done);
  }

  onModuleDestroy(): Promise<void> {
    return this.settleTasks(STOP_TIMEOUT_MS);
  }

  /** Resolves when nothing is under way any more, or after so long. */
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

@Module({ providers: [BackgroundTasks], exports: [BackgroundTasks] })
export class BackgroundModule {}
