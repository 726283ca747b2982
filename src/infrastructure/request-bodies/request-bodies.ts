import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { ClientAddress } from '../client-address/client-address';
import { BodyCutError } from './request-bodies.errors';
import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  type BodyRule,
  declaredLength,
  expectsContinue,
  keepForm,
  refuseCoding,
  ruleFor,
  SMALL_BODY,
} from '../../common/http/taken-body';
import { BodyTooLargeError } from '../../common/errors';
import { BodyBudget, type BodyRoom } from './body-budget';

/**
 * Reads a body into a single buffer, which has the declared length or is doubled when full. Copies
 * each chunk, because a small chunk would keep the socket's larger buffer in memory.
 * @throws BodyTooLargeError or BodiesBusyError; the rest of the body is discarded
 */
async function readBody(
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

/** Bytes count towards the budget until the response ends, because parsed values live that long. */
@Injectable()
export class RequestBodies {
  private readonly budget = new BodyBudget();
  private readonly read = new WeakMap<Request, Promise<Buffer>>();

  constructor(private readonly address: ClientAddress) {}

  async readAhead(request: Request, response: Response, rule: BodyRule): Promise<void> {
    try {
      keepForm(request, await this.readRequestBytes(request, response, rule));
    } catch {
      // `parseBody` rethrows the error.
    }
  }

  /** Parses the body by the first matching rule. @throws CurtailError if the body is refused */
  async parseBody(request: Request, response: Response, rules: readonly BodyRule[]): Promise<void> {
    refuseCoding(request);
    const rule = ruleFor(request, rules);
    if (rule === undefined) return;
    const bytes = await this.readRequestBytes(request, response, rule);
    request.body = await rule.parse(bytes, request);
  }

  private readRequestBytes(request: Request, response: Response, rule: BodyRule): Promise<Buffer> {
    const known = this.read.get(request);
    if (known !== undefined) return known;
    // The `close` event has already been emitted, so it would not release the bytes.
    if (response.closed || request.destroyed) return Promise.reject(new BodyCutError());
    const room = this.budget.open(this.address.client(request).key);
    response.once('close', () => room.release());
    const bytes = readBody(request, response, room, rule.limit);
    this.read.set(request, bytes);
    return bytes;
  }
}
