import { BadRequestError, CurtailError } from '../common/errors';

const IDEMPOTENCY_HEADER = 'Idempotency-Key';

export class IdempotencyKeyError extends BadRequestError {
  constructor() {
    super(
      `${IDEMPOTENCY_HEADER} is one line of 1 to 255 visible ASCII characters, such as a UUID, in quotes or not`,
      IDEMPOTENCY_HEADER,
    );
  }
}

/** 422: the key was used for another request. */
export class KeyOfOtherBodyError extends CurtailError {
  constructor() {
    super(422, 'validation_error', `${IDEMPOTENCY_HEADER}: it was sent with another body before`, {
      field: IDEMPOTENCY_HEADER,
      hint: 'A new request needs a new key',
    });
  }
}

export class StillRunningError extends CurtailError {
  constructor() {
    super(409, 'conflict', 'The same request is still running', {
      headers: { 'Retry-After': '1' },
    });
  }
}

/** 409: the answer was sealed with a secret that no longer exists. */
export class AnswerUnreadableError extends CurtailError {
  constructor() {
    super(409, 'conflict', 'The request was carried out, but its answer cannot be read any more');
  }
}
