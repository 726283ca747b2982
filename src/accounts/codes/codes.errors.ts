import { BadRequestError } from '../../core/errors';

/** 400: wrong, expired, used or dead; one answer for all of them. */
export class CodeRefusedError extends BadRequestError {
  constructor() {
    super('The code is wrong or no longer valid, ask for a new one', 'code');
  }
}
