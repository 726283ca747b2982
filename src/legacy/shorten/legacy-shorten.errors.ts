import type { IncomingMessage } from 'node:http';
import type { ErrorCode } from '../../common/errors';
import { homePage, type FormProblem } from '../../pages/home-page';
import { LegacyError, type LegacyKey } from '../legacy.errors';
import { legacyInput } from '../legacy-input';

/** A refusal to shorten; people get the form back with what they typed (docs/contract.md#13.1). */
export abstract class ShortenRefusal extends LegacyError {
  constructor(
    status: number,
    key: LegacyKey,
    private readonly control: FormProblem['field'],
    message: string,
    code?: ErrorCode,
  ) {
    super(status, key, message, code);
  }

  protected override page(request: IncomingMessage): string {
    const input = legacyInput(request);
    const typed = {
      url: input('url') ?? undefined,
      alias: input('alias') ?? undefined,
      maxClicks: input('max-clicks') ?? undefined,
      blockBots: input('block-bots') !== null,
    };
    return homePage(typed, { field: this.control, message: this.message });
  }
}

/** 400: no URL, or none that can be shortened. */
export class UrlRefusedError extends ShortenRefusal {
  constructor(message = 'That is no http or https address that can be shortened') {
    super(400, 'UrlError', 'url', message);
  }
}

/** 400 of /emoji without a URL: JSON for every caller (docs/contract.md#13.2). */
export class EmojiUrlMissingError extends UrlRefusedError {
  constructor() {
    super('The field url is missing');
  }

  protected override answersJson(): boolean {
    return true;
  }
}

/** 403: the destination is on the operator's list. */
export class UrlBlockedError extends ShortenRefusal {
  constructor(key: 'BlockedUrlError' | 'UrlError') {
    super(403, key, 'url', 'This destination is not allowed here', 'blocked');
  }
}

/** 400: the alias is too short, has other characters, is reserved or taken. */
export class AliasRefusedError extends ShortenRefusal {
  constructor(
    private readonly alias: string,
    message: string,
  ) {
    super(400, 'AliasError', 'alias', message);
  }

  protected override body(): Record<string, string> {
    return { ...super.body(), alias: this.alias };
  }
}

export class LinkPasswordRefusedError extends ShortenRefusal {
  constructor() {
    const rule = 'a letter, a digit and one of @ and ., and no two of @ and . side by side';
    super(400, 'PasswordError', 'password', `The password needs 8 to 128 characters, ${rule}`);
  }
}

export class MaxClicksRefusedError extends ShortenRefusal {
  constructor() {
    super(400, 'MaxClicksError', 'max-clicks', 'The number of clicks must be 1 or more');
  }
}

/** 400: the emoji are none, too many, or another link's. */
export class EmojiRefusedError extends LegacyError {
  constructor(message: string) {
    super(400, 'EmojiError', message);
  }
}
