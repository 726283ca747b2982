import { placeOfKey } from './alias-form';
import { CurtailError, NotFoundError } from '../../common/errors';

const UNKNOWN_LINK_MESSAGES = {
  id: 'No link has this ID',
  address: 'There is no link with this address',
  statistics: 'Link not found',
} as const;

/** 404: the link does not exist or is hidden from the caller. */
export class UnknownLinkError extends NotFoundError {
  constructor(by: keyof typeof UNKNOWN_LINK_MESSAGES) {
    super(UNKNOWN_LINK_MESSAGES[by]);
  }
}

export class AliasTakenError extends CurtailError {
  /** @param key the alias as stored */
  constructor(readonly key: string) {
    super(409, 'conflict', `The alias ${placeOfKey(key).alias} is taken`, { field: 'alias' });
  }
}
