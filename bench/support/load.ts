import { connect, type Socket } from 'node:net';

export interface LoadOptions {
  host: string;
  port: number;
  connections: number;
  ms: number;
  target?: (n: number) => string;
  request?: (n: number) => string;
  /** Called for each response with request number, status and milliseconds. */
  observe?: (n: number, status: number, ms: number) => void;
  headers?: string;
}

export interface LoadResult {
  statuses: Map<number, number>;
  answers: number;
  seconds: number;
  perSecond: number;
  latencies: Float64Array;
}

const HEAD_END = Buffer.from('\r\n\r\n');

/**
 * Keeps `connections` requests pending for `ms`, then waits for the last responses, so that the
 * count is exact. Supports responses with Content-Length only.
 */
export async function load(options: LoadOptions): Promise<LoadResult> {
  const statuses = new Map<number, number>();
  let latencies = new Float64Array(1 << 16);
  let answers = 0;
  let sent = 0;
  const begun = performance.now();
  const until = begun + options.ms;

  const oneConnection = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const socket: Socket = connect({ host: options.host, port: options.port, noDelay: true });
      let sentAt = 0;
      let sending = 0;
      let rest: Buffer = Buffer.alloc(0);
      const send = (): void => {
        if (performance.now() >= until) {
          socket.end();
          resolve();
          return;
        }
        sentAt = performance.now();
        sending = sent++;
        socket.write(textOf(options, sending));
      };
      socket.on('connect', send);
      socket.on('error', reject);
      socket.on('data', (data) => {
        rest = rest.length === 0 ? data : Buffer.concat([rest, data]);
        const end = rest.indexOf(HEAD_END);
        if (end === -1) return;
        const head = rest.toString('latin1', 0, end);
        const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
        if (rest.length < end + 4 + length) return;
        rest = rest.subarray(end + 4 + length);
        const status = Number(head.slice(9, 12));
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        if (answers === latencies.length) {
          const wider = new Float64Array(latencies.length * 2);
          wider.set(latencies);
          latencies = wider;
        }
        const ms = performance.now() - sentAt;
        latencies[answers++] = ms;
        options.observe?.(sending, status, ms);
        send();
      });
    });

  await Promise.all(Array.from({ length: options.connections }, oneConnection));
  const seconds = (performance.now() - begun) / 1000;
  return {
    statuses,
    answers,
    seconds,
    perSecond: answers / seconds,
    latencies: latencies.subarray(0, answers).slice().sort(),
  };
}

function textOf({ request, target, headers = '' }: LoadOptions, n: number): string {
  if (request !== undefined) return request(n);
  return `GET ${target?.(n) ?? '/'} HTTP/1.1\r\nHost: bench\r\n${headers}\r\n`;
}

export function percentile(sorted: Float64Array | number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
}

export function median(values: number[]): number {
  return percentile(
    [...values].sort((a, b) => a - b),
    0.5,
  );
}
