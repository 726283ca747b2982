import { connect } from 'node:net';

export interface WireAnswer {
  status: number;
  head: string;
  text: string;
}

/**
 * Sends the bytes on a new connection and reads until the service closes it. Returns null if there
 * is no response within `patienceMs`, which means that the service hangs.
 */
export function exchange(
  port: number,
  bytes: Buffer,
  patienceMs: number,
): Promise<WireAnswer | null> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port, noDelay: true });
    const pieces: Buffer[] = [];
    const end = (): void => {
      clearTimeout(patience);
      socket.destroy();
      resolve(pieces.length === 0 ? { status: 0, head: '', text: '' } : read(pieces));
    };
    const patience = setTimeout(() => {
      if (pieces.length > 0) end();
      else {
        socket.destroy();
        resolve(null);
      }
    }, patienceMs);
    socket.on('connect', () => socket.write(bytes));
    socket.on('data', (data) => pieces.push(data));
    socket.on('error', end);
    socket.on('close', end);
  });
}

function read(pieces: Buffer[]): WireAnswer {
  const all = Buffer.concat(pieces).toString('latin1');
  // Skips an interim "100 Continue".
  const answer = all.replace(/^HTTP\/1\.1 100 [^\r]*\r\n\r\n/, '');
  const end = answer.indexOf('\r\n\r\n');
  const head = end === -1 ? answer : answer.slice(0, end);
  return { status: Number(head.slice(9, 12)), head, text: answer.slice(head.length + 4) };
}
