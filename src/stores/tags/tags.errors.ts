import { BadRequestError, CurtailError, notFound } from '../../common/errors';
import { MAX_TAGS } from './tag';

export class TagCapError extends BadRequestError {
  constructor(field: string) {
    super(`An account can have at most ${MAX_TAGS} tags; delete one first`, field);
  }
}

/** 404: the tag does not exist or belongs to another account. */
export class UnknownTagError extends notFound('Tag not found') {}

/** 409: another tag has this name; case is ignored. */
export class TagNameTakenError extends CurtailError {
  constructor(readonly tagName: string) {
    super(409, 'conflict', `The tag ${tagName} already exists`, { field: 'name' });
  }
}
