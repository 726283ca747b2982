import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { declaredLength, expectsContinue, SMALL_BODY } from './taken-body';

/** Time for which a client may continue to send a body after the response. */
const LINGER_MS = 5000;
/** Maximum number of lingering connections, each of which keeps its request in memory. */
const MAX_LINGERING = 64;
/**
 * Maximum number of connections that are read concurrently. Each may read 2 MB per event-loop turn.
 */
const MAX_DRAINED = 4;

/** Closes the connection, because Node would otherwise read the whole remaining body. */
export function closeUnread(request: IncomingMessage, response: ServerResponse): void {
  const length = declaredLength(request);
  if (length === 0) return;
  const writeHead = response.writeHead.bind(response) as (...args: unknown[]) => ServerResponse;
  response.writeHead = (...args: unknown[]) => {
    if (!request.complete) {
      const isLittle = length !== null && length <= SMALL_BODY && !expectsContinue(request);
      if (!isLittle) response.shouldKeepAlive = false;
      linger(request.socket);
    }
    return writeHead(...args);
  };
}

const lingering = new Set<Socket>();

/** Delays the close, because closing a socket with unread bytes might lose the response. */
function linger(socket: Socket): void {
  socket.destroySoon = () => {
    socket.end();
    if (socket.readableEnded) {
      socket.destroy();
      return;
    }
    const timer = setTimeout(() => socket.destroy(), LINGER_MS);
    socket.once('end', () => socket.destroy());
    socket.once('close', () => {
      clearTimeout(timer);
      lingering.delete(socket);
      drainOldest();
    });
    lingering.add(socket);
    const [oldest] = lingering;
    if (lingering.size > MAX_LINGERING) oldest?.destroy();
    // Node resumes reading in its next tick.
    setImmediate(drainOldest);
  };
}

/** Reads from the oldest sockets, for clients that read the response only after sending all. */
function drainOldest(): void {
  let drained = 0;
  for (const socket of lingering) {
    if (drained++ < MAX_DRAINED) socket.resume();
    else socket.pause();
  }
}
