import { Injectable } from '@nestjs/common';
import { MailOptions } from '../../config/options';
import { MailSender } from './mail-sender';
import { withTimeout } from '../../common/with-timeout';

const MAIL_CHECK_TIMEOUT_MS = 2000;
const MAIL_CHECK_FRESH_MS = 5000;

/** Checks the mail server for /health: one check at a time, at most every five seconds. */
@Injectable()
export class MailHealthIndicator {
  private answer?: Promise<'ok' | 'error'>;
  private checkedAt = -Infinity;

  constructor(
    private readonly options: MailOptions,
    private readonly sender: MailSender,
  ) {}

  async state(): Promise<'ok' | 'error' | 'not_configured'> {
    if (this.options.smtpUrl === null) return 'not_configured';
    const now = performance.now();
    if (this.answer === undefined || now - this.checkedAt > MAIL_CHECK_FRESH_MS) {
      this.checkedAt = now;
      this.answer = this.ask();
    }
    return this.answer;
  }

  private async ask(): Promise<'ok' | 'error'> {
    const canSend = this.sender.canSend().catch(() => false);
    return (await withTimeout(canSend, MAIL_CHECK_TIMEOUT_MS, () => false)) ? 'ok' : 'error';
  }
}
