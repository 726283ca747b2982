import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { type BodyRule, keepForm, refuseCoding, ruleFor } from '../../common/http/taken-body';
import { ClientAddress } from '../client-address/client-address';
import { BodyBudget } from './body-budget';
import { BodyCutError, readBody } from './body-reader';

/**
 * Takes the bodies of requests, each at most once, within the budget of the process. The bytes count
 * until the request is answered: what was made of them lives as long.
 */
@Injectable()
export class RequestBodies {
  private readonly budget = new BodyBudget();
  private readonly read = new WeakMap<Request, Promise<Buffer>>();

  constructor(private readonly address: ClientAddress) {}

  /** Reads a form without looking into it, and keeps it for `recallForm`. */
  async readAhead(request: Request, response: Response, rule: BodyRule): Promise<void> {
    try {
      keepForm(request, await this.readRequestBytes(request, response, rule));
    } catch {
      // `parseBody` meets the same error, and throws it.
    }
  }

  /**
   * Sets `request.body` as the first of the rules has it that fits; leaves it where none does.
   * @throws CurtailError for a body that is refused
   */
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
    // Its `close` is over, and would release nothing.
    if (response.closed || request.destroyed) return Promise.reject(new BodyCutError());
    const room = this.budget.open(this.address.client(request).key);
    response.once('close', () => room.release());
    const bytes = readBody(request, response, room, rule.limit);
    this.read.set(request, bytes);
    return bytes;
  }
}
