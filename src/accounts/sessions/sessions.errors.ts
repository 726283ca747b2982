import { AuthenticationError } from '../../core/errors';

/** 401: the refresh token is missing, expired, spent or invalid. */
export class RefreshRefusedError extends AuthenticationError {
  constructor() {
    super('The session has ended, sign in again');
  }
}
