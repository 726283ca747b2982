import { AuthenticationError, ForbiddenError, NotFoundError } from '../../core/errors';

/** 404: no such link, or one whose statistics the caller may not know of. */
export class LinkUnknownError extends NotFoundError {
  constructor() {
    super('There is no such link');
  }
}

/** 401: private statistics, and nobody has signed in. */
export class PrivateStatisticsError extends AuthenticationError {
  constructor() {
    super('The statistics of this link are private: sign in as its owner');
  }
}

/** 403: the statistics belong to another account. */
export class ForeignStatisticsError extends ForbiddenError {
  constructor() {
    super('These statistics belong to another account');
  }
}
