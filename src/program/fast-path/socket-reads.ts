import { Socket } from 'node:net';

/** What `onread` of net.connect sets on a socket; for accepted ones Node has no such option. */
interface ReadingSocket extends Socket {
  _handle?: { useUserBuffer?(bytes: Buffer): void } | null;
}

const symbols = Object.getOwnPropertySymbols(new Socket());
const [BUFFER, CALLBACK] = ['kBuffer', 'kBufferCb'].map((name) =>
  symbols.find(({ description }) => description === name),
);

/**
 * Has the socket read into `bytes` from now on, which it may share with others, and tell `receive`
 * how many came, in place of `data` events with a buffer for each; false, with nothing changed, in a
 * Node that does it in another way. What is in `bytes` stays there until `receive` returns.
 */
export function readInto(socket: Socket, bytes: Buffer, receive: (count: number) => void): boolean {
  const { _handle: handle } = socket as ReadingSocket;
  if (BUFFER === undefined || CALLBACK === undefined || !handle?.useUserBuffer) return false;
  Object.assign(socket, { [BUFFER]: bytes, [CALLBACK]: receive });
  handle.useUserBuffer(bytes);
  return true;
}
