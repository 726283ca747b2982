import { placeOfKey } from './alias-form';
import { CurtailError, NotFoundError } from '../../common/errors';

const UNKNOWN_LINK_MESSAGES = {
  id: 'No link has this id',
  address: 'There is no link with this address',
  statistics: 'There is no such link',
} as const;

/** 404: no such link, or one that the caller may not know of. */
export class UnknownLinkError extends NotFoundError {
  /** @param by how the link was asked for */
  constructor(by: keyof typeof UNKNOWN_LINK_MESSAGES) {
    super(UNKNOWN_LINK_MESSAGES[by]);
  }
}

/** 409: another link has the alias. */
export class AliasTakenError extends CurtailError {
  /** @param key the alias as it is stored */
  constructor(readonly key: string) {
    super(409, 'conflict', `The alias ${placeOfKey(key).alias} is taken`, { field: 'alias' });
  }
}
