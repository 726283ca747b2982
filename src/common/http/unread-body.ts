import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { declaredLength, expectsContinue, SMALL_BODY } from './taken-body';

/** How long a client may go on sending a body after its answer. */
const LINGER_MS = 5000;

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

/**
 * Has the socket take what still comes after its last answer, until the client ends it or its time is
 * over. A socket that is closed with bytes to be read is reset, and the answer is lost to a client
 * that was about to read it.
 */
function linger(socket: Socket): void {
  socket.destroySoon = () => {
    socket.end();
    if (socket.readableEnded) {
      socket.destroy();
      return;
    }
    socket.resume();
    const timer = setTimeout(() => socket.destroy(), LINGER_MS);
    socket.once('end', () => socket.destroy());
    socket.once('close', () => clearTimeout(timer));
  };
}
