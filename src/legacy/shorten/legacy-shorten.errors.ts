import { LegacyError } from '../request/legacy.errors';

export class UrlRefusedError extends LegacyError {
  constructor(message: string) {
    super(400, 'UrlError', message, { form: { kind: 'shorten', field: 'url' } });
  }
}

/** 400 from /emoji, which is always JSON (docs/contract.md#13.2). */
export class EmojiUrlMissingError extends LegacyError {
  constructor() {
    super(400, 'UrlError', 'The field url is missing', { alwaysJson: true });
  }
}

export class UrlBlockedError extends LegacyError {
  constructor(key: 'BlockedUrlError' | 'UrlError') {
    super(403, key, 'This destination is not allowed here', {
      code: 'blocked',
      form: { kind: 'shorten', field: 'url' },
    });
  }
}

/** 403: ANONYMOUS_LINKS is off, and v0 does not support accounts. */
export class AccountNeededError extends LegacyError {
  constructor(message: string) {
    super(403, 'UrlError', message, { code: 'forbidden' });
  }
}

/** 400: the alias is too short, invalid, reserved or taken. */
export class AliasRefusedError extends LegacyError {
  constructor(alias: string, message: string) {
    super(400, 'AliasError', message, {
      form: { kind: 'shorten', field: 'alias' },
      data: { alias },
    });
  }
}

export class LinkPasswordRefusedError extends LegacyError {
  constructor() {
    const rule = 'with a letter, a digit, and a dot or @; dots and @ must not be adjacent';
    super(400, 'PasswordError', `The password needs 8 to 128 characters ${rule}`, {
      form: { kind: 'shorten', field: 'password' },
    });
  }
}

export class MaxClicksRefusedError extends LegacyError {
  constructor() {
    super(400, 'MaxClicksError', 'The number of clicks must be 1 or more', {
      form: { kind: 'shorten', field: 'max-clicks' },
    });
  }
}

export class ExpiresInRefusedError extends LegacyError {
  constructor() {
    super(400, 'ExpiresInError', 'The lifetime must be 1 second or more, and at most 10 years', {
      form: { kind: 'shorten', field: 'expires-in' },
    });
  }
}

export class EmojiRefusedError extends LegacyError {
  constructor(message: string) {
    super(400, 'EmojiError', message);
  }
}
