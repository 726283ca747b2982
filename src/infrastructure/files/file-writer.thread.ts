import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { MessageChannel } from 'node:worker_threads';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { WorkerThread } from '../../processes/worker-thread';
import { selectContent, type FileKind, type FileContents } from './file-formats';
import {
  type FileTask,
  type FromWriter,
  splitContent,
  type Pages,
  type ToWriter,
} from './file-writer.messages';

/** Heap limit for all files in progress; exceeding it ends the thread, but not the process. */
const MAX_WRITER_HEAP_MB = 512;

/** Readers request bytes, and the writer thread requests pages, so each holds only one page. */
@Injectable()
export class FileWriterThread implements OnApplicationShutdown {
  private readonly thread = new WorkerThread({
    name: 'file writer',
    script: join(__dirname, 'file-writer.worker.js'),
    resourceLimits: { maxOldGenerationSizeMb: MAX_WRITER_HEAP_MB },
  });

  /** Destroying the stream cancels the file and closes its sources. `bom` applies only to CSV. */
  write(format: FileKind, contents: FileContents, bom = false): Readable {
    const { outline, sources } = splitContent(selectContent(contents, format));
    const iterators = sources.map((pages) => lazily(pages));
    const { port1: port, port2 } = new MessageChannel();
    const task: FileTask = { format, bom, outline, port: port2 };
    this.thread.post(task, [port2]);
    const send = (message: ToWriter): void => port.postMessage(message);
    let ended = false;
    const file = new Readable({
      read: () => send({ kind: 'read' }),
      destroy: (error, done) => {
        ended = true;
        port.close();
        void Promise.allSettled(iterators.map((pages) => pages.return())).then(() => done(error));
      },
    });
    port.on('message', (message: FromWriter) => {
      if (message.kind === 'failure') file.destroy(new Error(message.message));
      else if (message.kind === 'next') void this.page(message.source, iterators, send, file);
      else {
        ended = message.bytes === null;
        file.push(message.bytes);
      }
    });
    // The port also closes if the thread dies.
    port.on('close', () => {
      if (!ended) file.destroy(new Error('The file writer thread has ended'));
    });
    return file;
  }

  async onApplicationShutdown(): Promise<void> {
    await this.thread.stop();
  }

  /** Reads one page per turn of the event loop, to keep it responsive; errors end the file. */
  private async page(
    source: number,
    iterators: readonly PageIterator[],
    send: (message: ToWriter) => void,
    file: Readable,
  ): Promise<void> {
    try {
      await turn();
      const rows = (await iterators[source]?.next()) ?? null;
      if (!file.destroyed) send({ kind: 'page', source, rows });
    } catch (error) {
      file.destroy(error instanceof Error ? error : new Error(String(error)));
    }
  }
}

interface PageIterator {
  next(): Promise<readonly unknown[] | null>;
  return(): Promise<void>;
}

function lazily(pages: Pages): PageIterator {
  let iterator: AsyncIterator<readonly unknown[]> | undefined;
  return {
    next: async () => {
      iterator ??= pages()[Symbol.asyncIterator]();
      const result = await iterator.next();
      return result.done === true ? null : result.value;
    },
    return: async () => {
      await iterator?.return?.();
    },
  };
}
