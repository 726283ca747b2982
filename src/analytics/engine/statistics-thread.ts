import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { CurtailError, DatabaseUnavailableError, type LogLevelOfError } from '../../common/errors';
import { MongoOptions } from '../../config/options';
import { Cancellation } from './cancellation';
import type { EngineAnswers, EngineCall, EngineReply, EngineRequest } from './engine-messages';

/** 500: figures could not be counted. Never answered with zeros instead. */
export class StatisticsFailedError extends CurtailError {
  constructor(reason: string) {
    super(500, 'internal_error', 'The statistics could not be counted', {
      cause: new Error(reason),
    });
  }
}

const RETRY_SECONDS = 10;

/** 503: more is asked than can be counted in time; sent before or instead of the counting. */
export class StatisticsBusyError extends CurtailError {
  constructor() {
    super(503, 'internal_error', 'Too many statistics are asked for, try again shortly', {
      headers: { 'Retry-After': String(RETRY_SECONDS) },
    });
  }

  /** A load that was expected and is answered for; whoever causes it shall not fill the log. */
  override get logLevel(): LogLevelOfError {
    return 'info';
  }
}

interface Waiter {
  resolve: (answer: never) => void;
  reject: (error: Error) => void;
}

/** Who has been cancelled answers between two steps; a thread that does not is ended. */
const CANCEL_MS = 10_000;
/** Labels live in the heap of the thread; beyond this the thread ends, not the program. */
const HEAP_MB = 1024;

/**
 * The worker thread that counts, started with the first question and anew after it has died.
 * Whatever goes wrong there is an error here: 503 when the database is away or the counting was
 * cancelled, else 500.
 */
@Injectable()
export class StatisticsThread implements OnApplicationShutdown {
  private worker: Worker | undefined;
  private readonly waiting = new Map<number, Waiter>();
  private calls = 0;

  constructor(private readonly mongo: MongoOptions) {}

  /** Settles when the thread is done with it, also after the signal has cancelled it. */
  ask<R extends EngineRequest>(
    request: R,
    signal?: AbortSignal,
  ): Promise<EngineAnswers[R['kind']]> {
    const worker = (this.worker ??= this.start());
    const id = (this.calls += 1);
    const cancellation = new Cancellation();
    const answer = new Promise<EngineAnswers[R['kind']]>((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      const call: EngineCall = { id, request, cancelled: cancellation.flag };
      worker.postMessage(call);
    });
    return signal === undefined ? answer : this.cancellable(answer, worker, cancellation, signal);
  }

  async onApplicationShutdown(): Promise<void> {
    await this.worker?.terminate();
  }

  private async cancellable<T>(
    answer: Promise<T>,
    worker: Worker,
    cancellation: Cancellation,
    signal: AbortSignal,
  ): Promise<T> {
    let timer: NodeJS.Timeout | undefined;
    const cancel = (): void => {
      cancellation.cancel();
      timer = setTimeout(() => void worker.terminate(), CANCEL_MS).unref();
    };
    if (signal.aborted) cancel();
    else signal.addEventListener('abort', cancel, { once: true });
    try {
      return await answer;
    } finally {
      signal.removeEventListener('abort', cancel);
      clearTimeout(timer);
    }
  }

  private start(): Worker {
    const worker = new Worker(join(__dirname, 'statistics.worker.js'), {
      workerData: { mongoUri: this.mongo.uri },
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
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
    else waiter?.reject(errorOf(reply.failure));
  }

  private giveUp(worker: Worker, error: Error): void {
    if (this.worker !== worker) return;
    this.worker = undefined;
    for (const { reject } of this.waiting.values())
      reject(new StatisticsFailedError(error.message));
    this.waiting.clear();
  }
}

function errorOf({ kind, message }: Extract<EngineReply, { failure: unknown }>['failure']): Error {
  if (kind === 'database') return new DatabaseUnavailableError(new Error(message));
  return kind === 'busy' ? new StatisticsBusyError() : new StatisticsFailedError(message);
}
