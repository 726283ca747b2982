import { BadRequestError, CurtailError } from '../../common/errors';

export class SourceAnswerError extends CurtailError {
  /** @param problem completes a sentence that starts with the host; never quotes the response */
  constructor(host: string, problem: string) {
    super(400, 'validation_error', `${host} ${problem}`);
  }
}

export class CredentialRefusedError extends CurtailError {
  constructor(message: string) {
    super(401, 'authentication_error', message);
  }
}

/** The service failed temporarily or requested a pause; the request is retried. */
export class SourceTrouble extends Error {
  constructor(
    message: string,
    /** Pause that the service requested; null if it did not specify one. */
    readonly waitMs: number | null = null,
  ) {
    super(message);
    this.name = 'SourceTrouble';
  }
}

export class ImportFormatError extends BadRequestError {
  constructor(found: string) {
    super(`The file does not match the chosen source: this is ${found}`, 'file');
  }
}

export class BombError extends ImportFormatError {
  constructor() {
    super('an archive that unpacks to far more than its size');
  }
}

export class UnpackedError extends BadRequestError {
  constructor(max: number) {
    super(`The file unpacks to more than ${max} bytes: split it`, 'file');
  }
}

/** A row in an SQL dump that cannot be parsed. */
export class SqlRowError extends Error {}
