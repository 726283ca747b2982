import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { type BodyRule, keepForm, refuseCoding, ruleFor } from '../../common/http/taken-body';
import { ClientAddress } from '../client-address/client-address';
import { BodyBudget } from './body-budget';
import { readBody } from './body-reader';
import { BodyCutError } from './request-bodies.errors';

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
