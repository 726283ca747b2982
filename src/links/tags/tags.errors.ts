import { CurtailError, NotFoundError } from '../../common/errors';

/** 404: no such tag, or another account's. */
export class UnknownTagError extends NotFoundError {
  constructor() {
    super('There is no such tag');
  }
}

/** 409: another tag of the account is called that, whatever its case. */
export class TagNameTakenError extends CurtailError {
  constructor(readonly tagName: string) {
    super(409, 'conflict', `There is a tag ${tagName} already`, { field: 'name' });
  }
}
