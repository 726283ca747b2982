import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { declaredLength, expectsContinue, SMALL_BODY } from './taken-body';

/** How long a client may continue sending a body after the response. */
const LINGER_MS = 5000;
/** Maximum lingering connections; each holds its request. */
const MAX_LINGERING = 64;
/** Maximum connections being read at a time; each may read 2 MB per event-loop turn. */
const MAX_DRAINED = 4;

/** Node would otherwise read the whole remaining body to reach the next request. */
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

/** Closing a socket with unread bytes resets it, and the client might lose the response. */
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
