import { badRequest, conflict, CurtailError } from '../common/errors';

const IDEMPOTENCY_HEADER = 'Idempotency-Key';

export class IdempotencyKeyError extends badRequest(
  `${IDEMPOTENCY_HEADER} must be 1 to 255 visible ASCII characters, such as a UUID, with or without quotes`,
  IDEMPOTENCY_HEADER,
) {}

/** 422: the key was used for a request with another body. */
export class KeyOfOtherBodyError extends CurtailError {
  constructor() {
    super(
      422,
      'validation_error',
      `${IDEMPOTENCY_HEADER}: an earlier request with this key had another body`,
      {
        field: IDEMPOTENCY_HEADER,
        hint: 'Use a new key for each new request',
      },
    );
  }
}

export class StillRunningError extends conflict(
  'The first request with this key is still running',
  { headers: { 'Retry-After': '1' } },
) {}

/** 409: the stored response was encrypted with a secret that no longer exists. */
export class AnswerUnreadableError extends conflict(
  'The request was processed, but its response can no longer be read',
) {}
