import { CurtailError } from '../../common/errors';

/** The service has answered with something that cannot be read as what was asked for. */
export class SourceAnswerError extends CurtailError {
  /** @param problem goes on from the name of the host; holds nothing of the answer */
  constructor(host: string, problem: string) {
    super(400, 'validation_error', `${host} ${problem}`);
  }
}

/** The service does not accept the credential, or there is none any more. */
export class CredentialRefusedError extends CurtailError {
  constructor(message: string) {
    super(401, 'authentication_error', message);
  }
}

/** The service asks for a pause, or does not answer now: it is asked again. */
export class SourceTrouble extends Error {
  constructor(
    message: string,
    /** The pause that it asks for; null where it says none. */
    readonly waitMs: number | null = null,
  ) {
    super(message);
    this.name = 'SourceTrouble';
  }
}
