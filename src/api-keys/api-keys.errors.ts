import { ForbiddenError, NotFoundError, BadRequestError } from '../common/errors';
import { MAX_KEYS } from './api-key';

export class KeyCapError extends BadRequestError {
  constructor() {
    super(
      `An account may have at most ${MAX_KEYS} keys that are not revoked; revoke or delete one first`,
    );
  }
}

export class UnknownKeyError extends NotFoundError {
  constructor() {
    super('There is no such API key');
  }
}

export class ForeignKeyError extends ForbiddenError {
  constructor() {
    super('This API key belongs to another account');
  }
}
