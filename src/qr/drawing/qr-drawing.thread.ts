import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { QrCalls } from '../qr.calls';
import {
  RpcChannel,
  RpcError,
  type RpcRequest,
  type RpcResponse,
  threadTransport,
  type Topic,
} from '../../processes/rpc/rpc';
import { LogoRefusedError, QrBusyError } from '../qr.errors';

/** Tasks that wait at one time; each takes up to some tens of milliseconds. */
const MOST_WAITING = 64;
/** Far longer than all that may wait take together: a thread that is later hangs. */
const CALL_MS = 10_000;
const HEAP_MB = 128;

interface RunningThread {
  worker: Worker;
  channel: RpcChannel<QrCalls>;
}

/**
 * The worker thread that draws, started with the first code and anew after it has died. Its queue is
 * bounded; what is beyond is QrBusyError.
 */
@Injectable()
export class QrDrawingThread implements OnApplicationShutdown {
  private running: RunningThread | undefined;
  private waiting = 0;

  async call<T extends Topic<QrCalls>>(
    topic: T,
    request: RpcRequest<QrCalls, T>,
  ): Promise<RpcResponse<QrCalls, T>> {
    if (this.waiting >= MOST_WAITING) throw new QrBusyError();
    const { channel, worker } = (this.running ??= this.start());
    this.waiting++;
    try {
      return await channel.call(topic, request, CALL_MS);
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
      if (error.code === 'logo') throw new LogoRefusedError(reasonOf(error));
      if (error.kind === 'timeout') void worker.terminate();
      if (error.kind === 'failed') throw error;
      throw new QrBusyError();
    } finally {
      this.waiting--;
    }
  }

  async onApplicationShutdown(): Promise<void> {
    await this.running?.worker.terminate();
  }

  private start(): RunningThread {
    const worker = new Worker(join(__dirname, 'qr-drawing.worker.js'), {
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
      // Nothing of the environment is needed there.
      env: {},
    });
    // It must not keep the program from ending.
    worker.unref();
    const channel = new RpcChannel<QrCalls>('drawing', threadTransport(worker));
    const running = { worker, channel };
    const end = (reason: string): void => {
      if (this.running === running) this.running = undefined;
      channel.close(reason);
    };
    worker.on('error', (error) => end(error.message));
    worker.on('exit', () => end('the thread that draws has ended'));
    return running;
  }
}

/** What the thread says is wrong, without the words that name the call. */
function reasonOf({ message }: RpcError): string {
  return message.slice(message.lastIndexOf(': ') + 2);
}
