import { join } from 'node:path';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { QrCalls } from './qr.calls';
import { RpcError, type RpcRequest, type RpcResponse, type Topic } from '../../processes/rpc/rpc';
import { WorkerThread } from '../../processes/worker-thread';
import { QrBusyError } from './qr.errors';

/** Queue limit. Each task takes up to tens of milliseconds. */
const MAX_WAITING_DRAWINGS = 64;
/** Time limit for a call, far longer than a full queue takes, so a timeout means a hang. */
const DRAWING_MS = 10_000;
const HEAP_MB = 128;

/** The thread that draws QR codes. Calls throw QrBusyError when its queue is full. */
@Injectable()
export class QrDrawingThread implements OnApplicationShutdown {
  private readonly thread = new WorkerThread<QrCalls>({
    name: 'drawing',
    script: join(__dirname, 'qr-drawing.worker.js'),
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
    env: {},
  });
  private waiting = 0;

  async call<T extends Topic<QrCalls>>(
    topic: T,
    request: RpcRequest<QrCalls, T>,
  ): Promise<RpcResponse<QrCalls, T>> {
    if (this.waiting >= MAX_WAITING_DRAWINGS) throw new QrBusyError();
    this.waiting++;
    try {
      return await this.thread.call(topic, request, DRAWING_MS);
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
      if (error.kind === 'timeout') void this.thread.stop();
      if (error.kind === 'failed') throw error;
      throw new QrBusyError();
    } finally {
      this.waiting--;
    }
  }

  async onApplicationShutdown(): Promise<void> {
    await this.thread.stop();
  }
}
