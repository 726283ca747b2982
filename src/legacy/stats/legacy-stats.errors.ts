import type { IncomingMessage } from 'node:http';
import { statisticsPasswordPage } from '../../pages/statistics/statistics-form-page';
import {
  LinkPasswordRequiredError,
  LinkPasswordWrongError,
} from '../../redirect/link-password/link-password.errors';
import { LegacyError } from '../legacy.errors';

/** 404: no link has this code, or its statistics are private; both look alike. */
export class StatisticsUnknownError extends LegacyError {
  constructor() {
    super(404, 'UrlError', 'There are no statistics at this address', 'not_found');
  }
}

/** 400: the link's password is missing or wrong; people are asked for it. */
export class StatisticsPasswordError extends LegacyError {
  constructor(private readonly refusal: LinkPasswordRequiredError | LinkPasswordWrongError) {
    super(400, 'PasswordError', refusal.message);
  }

  protected override page(request: IncomingMessage & { originalUrl?: string }): string {
    const [path = '/'] = (request.originalUrl ?? request.url ?? '/').split('?');
    return statisticsPasswordPage(
      path,
      this.message,
      this.refusal instanceof LinkPasswordWrongError,
    );
  }
}
