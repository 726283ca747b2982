import { CurtailError, NotFoundError } from '../common/errors';

/** 404: the job is unknown, or belongs to another account or to the service. */
export class UnknownJobError extends NotFoundError {
  constructor() {
    super('There is no such job');
  }
}

/** 409: the job must not be left half done. */
export class NotCancellableError extends CurtailError {
  constructor() {
    super(409, 'conflict', 'This job cannot be cancelled');
  }
}
