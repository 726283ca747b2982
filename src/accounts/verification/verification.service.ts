import { Injectable } from '@nestjs/common';
import type { Principal } from '../../auth/principal';
import { signInMethods } from '../account/account';
import type { CodeSentResponse, VerifiedResponse } from '../account/account.response';
import { CodeRefusedError, MailNotSentError } from '../account/accounts.errors';
import { AccountsRepository } from '../account/accounts.repository';
import { AccountsService } from '../sign-in/accounts.service';
import { CODE_SECONDS } from '../codes/code.schema';
import { AdminsService } from '../admin-role/admins.service';
import { OneTimeCodesService } from '../codes/one-time-codes.service';
import { AccountMailsService } from '../mails/account-mails.service';
import { SessionAnswer, type SignInOrigin } from '../sessions/session';
import { SessionsService } from '../sessions/sessions.service';

@Injectable()
export class VerificationService {
  constructor(
    private readonly accounts: AccountsService,
    private readonly repository: AccountsRepository,
    private readonly codes: OneTimeCodesService,
    private readonly mails: AccountMailsService,
    private readonly sessions: SessionsService,
    private readonly admins: AdminsService,
  ) {}

  async send(principal: Principal): Promise<CodeSentResponse> {
    const account = await this.accounts.demand(principal);
    if (account.emailVerified) {
      return { success: true, message: 'The email address is already verified', expires_in: 0 };
    }
    if (await this.codes.isLocked(account.id)) {
      const message = 'Too many wrong codes; no new code is sent for 24 hours';
      return { success: true, message, expires_in: 0 };
    }
    if (!(await this.mails.sendVerification(account))) throw new MailNotSentError();
    return { success: true, message: 'A code is on its way', expires_in: CODE_SECONDS };
  }

  async verify(
    principal: Principal,
    code: string,
    origin: SignInOrigin,
  ): Promise<SessionAnswer<VerifiedResponse>> {
    const { client } = origin;
    const { id, emailVerified } = await this.accounts.demand(principal);
    if (emailVerified) throw new CodeRefusedError();
    const { accepted, locked } = await this.codes.use(id, 'verification', code, client.key);
    if (locked) this.mails.notify(id, { what: 'codes locked' }, client);
    if (!accepted) throw new CodeRefusedError();
    const account = await this.repository.markVerified(id);
    if (account === null) throw new CodeRefusedError();
    this.mails.welcome(account);
    await this.admins.grantIfListed(account);
    const session = await this.sessions.start(account, signInMethods(account), origin);
    const answer: VerifiedResponse = {
      success: true,
      message: 'The email address is verified',
      email_verified: true,
      access_token: session.accessToken,
    };
    return new SessionAnswer(answer, session);
  }
}
