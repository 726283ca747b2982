import { connect } from 'node:net';

/** An answer as it came over the wire; `null` when none came in time. */
export interface WireAnswer {
  status: number;
  head: string;
  text: string;
}

/**
 * Sends these very bytes on a connection of its own and reads until the other end closes it.
 * Null when nothing came back and the connection stayed open for `patienceMs`: a hang.
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
  // An interim "100 Continue" comes before the answer itself.
  const answer = all.replace(/^HTTP\/1\.1 100 [^\r]*\r\n\r\n/, '');
  const end = answer.indexOf('\r\n\r\n');
  const head = end === -1 ? answer : answer.slice(0, end);
  return { status: Number(head.slice(9, 12)), head, text: answer.slice(head.length + 4) };
}
