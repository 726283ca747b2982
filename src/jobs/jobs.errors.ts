import { CurtailError, NotFoundError } from '../common/errors';

/** 404: unknown, another account's or the service's own. */
export class UnknownJobError extends NotFoundError {
  constructor() {
    super('There is no such job');
  }
}

/** 409: it cannot be left half done. */
export class NotCancellableError extends CurtailError {
  constructor() {
    super(409, 'conflict', 'This job goes on to its end');
  }
}
