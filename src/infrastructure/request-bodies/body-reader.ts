import type { IncomingMessage, ServerResponse } from 'node:http';
import { declaredLength, expectsContinue, SMALL_BODY } from '../../common/http/taken-body';
import { BodyTooLargeError } from '../../common/errors';
import type { BodyRoom } from './body-budget';
import { BodyCutError } from './request-bodies.errors';

/**
 * Reads a body into a single buffer, which has the declared length or is doubled when full. Copies
 * each chunk, because a small chunk would keep the socket's larger buffer in memory.
 * @throws BodyTooLargeError or BodiesBusyError; the rest of the body is discarded
 */
export async function readBody(
  request: IncomingMessage,
  response: ServerResponse,
  room: BodyRoom,
  limit: number,
): Promise<Buffer> {
  const declared = declaredLength(request);
  if (declared !== null && declared > limit) throw new BodyTooLargeError(limit);
  if (declared === 0) return Buffer.alloc(0);
  let size = declared ?? Math.min(SMALL_BODY, limit);
  room.grow(size);
  let bytes = Buffer.allocUnsafeSlow(size);
  let length = 0;

  const take = (piece: Buffer): void => {
    const needed = length + piece.length;
    if (needed > limit) throw new BodyTooLargeError(limit);
    if (needed > size) {
      size = Math.min(limit, Math.max(needed, 2 * size));
      room.grow(size);
      const larger = Buffer.allocUnsafeSlow(size);
      bytes.copy(larger, 0, 0, length);
      bytes = larger;
    }
    piece.copy(bytes, length);
    length = needed;
  };

  await new Promise<void>((resolve, reject) => {
    const settle = (error?: Error): void => {
      request.off('data', onData).off('end', onEnd).off('close', onClose);
      if (error === undefined) resolve();
      else reject(error);
    };
    const onData = (piece: Buffer): void => {
      try {
        take(piece);
      } catch (error) {
        settle(error as Error);
        request.resume();
      }
    };
    const onEnd = (): void => settle();
    const onClose = (): void => settle(new BodyCutError());
    request.on('data', onData).on('end', onEnd).on('close', onClose);
    // The `close` event handles the end.
    request.on('error', ignore);
    if (expectsContinue(request)) response.writeContinue();
  });
  return length === size ? bytes : bytes.subarray(0, length);
}

function ignore(): void {
  // The error is handled elsewhere.
}
