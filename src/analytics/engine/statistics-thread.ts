import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { MongoOptions } from '../../config/options';
import { DatabaseUnavailableError } from '../../core/errors';
import type { EngineAnswers, EngineReply, EngineRequest } from './engine-messages';
import { StatisticsFailedError } from './engine.errors';

interface Waiter {
  resolve: (answer: never) => void;
  reject: (error: Error) => void;
}

/**
 * The worker thread that counts, started with the first question and anew after it has died.
 * Whatever goes wrong there is an error here: 503 when the database is away, else 500.
 */
@Injectable()
export class StatisticsThread implements OnApplicationShutdown {
  private worker: Worker | undefined;
  private readonly waiting = new Map<number, Waiter>();
  private calls = 0;

  constructor(private readonly mongo: MongoOptions) {}

  ask<R extends EngineRequest>(request: R): Promise<EngineAnswers[R['kind']]> {
    const worker = (this.worker ??= this.start());
    const id = (this.calls += 1);
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      worker.postMessage({ id, request });
    });
  }

  async onApplicationShutdown(): Promise<void> {
    await this.worker?.terminate();
  }

  private start(): Worker {
    const worker = new Worker(join(__dirname, 'statistics.worker.js'), {
      workerData: { mongoUri: this.mongo.uri },
    });
    // It must not keep the program from ending.
    worker.unref();
    worker.on('message', (reply: EngineReply) => this.settle(reply));
    worker.on('error', (error) => this.giveUp(worker, error));
    worker.on('exit', () => this.giveUp(worker, new Error('The statistics thread has ended')));
    return worker;
  }

  private settle(reply: EngineReply): void {
    const waiter = this.waiting.get(reply.id);
    this.waiting.delete(reply.id);
    if ('answer' in reply) waiter?.resolve(reply.answer as never);
    else if (reply.failure.unreachable) {
      waiter?.reject(new DatabaseUnavailableError(new Error(reply.failure.message)));
    } else waiter?.reject(new StatisticsFailedError(reply.failure.message));
  }

  private giveUp(worker: Worker, error: Error): void {
    if (this.worker !== worker) return;
    this.worker = undefined;
    for (const { reject } of this.waiting.values())
      reject(new StatisticsFailedError(error.message));
    this.waiting.clear();
  }
}
