import { type MessagePort, parentPort } from 'node:worker_threads';
import { lowerThreadPriority } from '../../processes/worker-thread';
import { writeFile } from './file-formats';
import { contentFrom, type FileTask, type FromWriter, type ToWriter } from './file-writer.messages';

// Writing files and loading their libraries must not delay redirects.
lowerThreadPriority();

class PageRequests {
  private readonly waiting = new Map<
    number,
    { resolve: (rows: never[] | null) => void; reject: (error: Error) => void }
  >();
  private isClosed = false;

  constructor(private readonly send: (message: FromWriter) => void) {}

  async *pages(source: number): AsyncGenerator<never[]> {
    for (;;) {
      const rows = await this.next(source);
      if (rows === null) return;
      yield rows;
    }
  }

  receivePage({ source, rows }: Extract<ToWriter, { kind: 'page' }>): void {
    const request = this.waiting.get(source);
    this.waiting.delete(source);
    request?.resolve(rows as never[] | null);
  }

  /** Call when the reader is gone; all pending and later page requests then fail. */
  close(): void {
    this.isClosed = true;
    for (const { reject } of this.waiting.values())
      reject(new Error('The reader cancelled the file'));
    this.waiting.clear();
  }

  private next(source: number): Promise<never[] | null> {
    if (this.isClosed) return Promise.reject(new Error('The reader cancelled the file'));
    return new Promise((resolve, reject) => {
      this.waiting.set(source, { resolve, reject });
      this.send({ kind: 'next', source });
    });
  }
}

function serve({ format, bom, outline, port }: FileTask): void {
  const send = (message: FromWriter): void => port.postMessage(message);
  const requests = new PageRequests(send);
  const stream = writeFile(
    format,
    contentFrom(outline, (source) => requests.pages(source)),
    bom,
  );
  const pieces = stream[Symbol.asyncIterator]();
  port.on('message', (message: ToWriter) => {
    if (message.kind === 'page') requests.receivePage(message);
    else void answer(pieces, port, send);
  });
  port.on('close', () => {
    requests.close();
    pieces.return?.().catch(() => undefined);
  });
}

async function answer(
  pieces: AsyncIterator<string | Buffer>,
  port: MessagePort,
  send: (message: FromWriter) => void,
): Promise<void> {
  try {
    const result = await pieces.next();
    send({ kind: 'bytes', bytes: result.done === true ? null : Buffer.from(result.value) });
    if (result.done === true) port.close();
  } catch (error) {
    send({ kind: 'failure', message: error instanceof Error ? error.message : String(error) });
  }
}

parentPort?.on('message', serve);
