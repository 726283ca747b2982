import { CurtailError, forbidden } from '../common/errors';

/** 410: the link is inactive, expired or used up (docs/contract.md#8.1). */
export class LinkGoneError extends CurtailError {
  constructor() {
    super(410, 'gone', 'This link is no longer active');
  }
}

export class BotBlockedError extends forbidden('This link blocks bots') {}
