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
  /**
   * @param key the alias as stored
   * @param holder the alias that takes it, if only the case differs
   */
  constructor(
    readonly key: string,
    holder: string | null = null,
  ) {
    const hint = holder === null || holder === key ? '' : `: ${shown(holder)} differs only in case`;
    super(409, 'conflict', `The alias ${shown(key)} is taken${hint}`, { field: 'alias' });
  }
}

const shown = (key: string): string => placeOfKey(key).alias;
