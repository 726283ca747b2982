import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { declaredLength, expectsContinue, SMALL_BODY } from './taken-body';

/** How long a client may go on sending a body after its answer. */
const LINGER_MS = 5000;
/** Connections that do so at once; each holds its request. */
const MAX_LINGERING = 64;
/** The ones among them that are read from; a turn of the event loop may read 2 MB from each. */
const MAX_DRAINED = 4;

/**
 * Closes the connection with an answer that is given before the whole body was read, unless little is
 * to come: Node would read all of it, however much that is, to get to the next request.
 */
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

/**
 * Keeps the socket open after its last answer, until the client ends it, its time is over, or many
 * others linger too. A socket that is closed with bytes to be read is reset, and the answer may be
 * lost to a client that was about to read it.
 */
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
    // Node reads on in its next tick, to get to the end of the body.
    setImmediate(drainOldest);
  };
}

/** Reads from those that have lingered longest, for clients that look at no answer until all is sent. */
function drainOldest(): void {
  let drained = 0;
  for (const socket of lingering) {
    if (drained++ < MAX_DRAINED) socket.resume();
    else socket.pause();
  }
}
