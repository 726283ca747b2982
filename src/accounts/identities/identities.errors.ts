import { CurtailError } from '../../core/errors';

/** 409: the identity belongs to an account already. */
export class IdentityTakenError extends CurtailError {
  constructor() {
    super(409, 'conflict', 'This sign-in is linked to an account already');
  }
}

/** 409: the account was changed by somebody else at the same moment; nothing was written. */
export class AccountChangedError extends CurtailError {
  constructor() {
    super(409, 'conflict', 'The account was changed at the same time, try again');
  }
}
