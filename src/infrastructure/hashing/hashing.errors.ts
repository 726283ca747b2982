import { BusyError } from '../../common/errors';

const RETRY_SECONDS = 5;

/** The queue is full, or the task waited too long. */
export class HashingOverloadedError extends BusyError {
  constructor() {
    super('Too many passwords are being checked; try again shortly', RETRY_SECONDS);
  }
}

/** The client closed its sending side and may have disconnected. */
export class ClientGoneError extends BusyError {
  constructor() {
    super('The connection was closed before the password was checked', RETRY_SECONDS);
  }
}
