import { BusyError } from '../../common/errors';

const RETRY_SECONDS = 5;

/** The queue is full, or the wait for a turn timed out. */
export class HashingOverloadedError extends BusyError {
  constructor() {
    super('Too many passwords are being checked; try again shortly', RETRY_SECONDS);
  }
}

/** For a client that closed its sending side and is possibly gone. */
export class ClientGoneError extends BusyError {
  constructor() {
    super('The connection was closed before the password was checked', RETRY_SECONDS);
  }
}
