import { Injectable } from '@nestjs/common';
import type { Principal } from '../../auth/access';
import { SiteOptions } from '../../config/options';
import { type Account, SignInLog } from '../account/account';
import type { CodeSentResponse } from '../account/account.response';
import { OwnerProofDto } from '../account/accounts.dto';
import {
  CodeRefusedError,
  MailNotSentError,
  NoPasswordError,
  PasswordWrongError,
} from '../account/accounts.errors';
import { CODE_SECONDS, type CodePurpose, type ProofPurpose } from '../codes/code.schema';
import { OneTimeCodesService } from '../codes/one-time-codes.service';
import { AccountMailsService } from '../mails/account-mails.service';
import type { SignInOrigin } from '../sessions/session';
import { AccountsService } from './accounts.service';

/** Checks that the caller is the account's owner, before critical changes (contract 23.1). */
@Injectable()
export class OwnerProofService {
  constructor(
    private readonly accounts: AccountsService,
    private readonly codes: OneTimeCodesService,
    private readonly mails: AccountMailsService,
    private readonly signIns: SignInLog,
    private readonly site: SiteOptions,
  ) {}

  async sendCode(principal: Principal, purpose: ProofPurpose): Promise<CodeSentResponse> {
    const account = await this.accounts.demand(principal);
    if (await this.codes.isLocked(account.id)) {
      const message = 'Too many wrong codes; no new code is sent for 24 hours';
      return { success: true, message, expires_in: 0 };
    }
    if (!(await this.mails.sendProof(account, purpose))) throw new MailNotSentError();
    return { success: true, message: 'A code is on its way', expires_in: CODE_SECONDS };
  }

  /** The password and the code, if given, must be correct. The code stays valid. */
  async demand(
    account: Account,
    { password, code }: OwnerProofDto,
    purpose: ProofPurpose,
    origin: SignInOrigin,
  ): Promise<void> {
    if (password !== undefined) {
      if (account.passwordHash === null || !this.site.passwordSignIn) throw new NoPasswordError();
      const tried = { email: account.email, account };
      if (!(await this.accounts.isRight(password, tried, origin))) {
        this.signIns.failed(origin.client, account, 'wrong current password');
        throw new PasswordWrongError();
      }
    }
    if (code !== undefined) await this.demandCode(account.id, purpose, code, origin);
  }

  async demandCode(
    id: string,
    purpose: CodePurpose,
    code: string,
    { client }: SignInOrigin,
  ): Promise<void> {
    const { accepted, locked } = await this.codes.judge(id, purpose, code, client.key);
    if (locked) this.mails.notify(id, { what: 'codes locked' }, client);
    if (!accepted) throw new CodeRefusedError();
  }

  /** Call right before the change. @throws CodeRefusedError if a concurrent request used the code */
  async useUp(id: string, purpose: CodePurpose, code: string | undefined): Promise<void> {
    if (code === undefined) return;
    if (!(await this.codes.consume(id, purpose, code))) throw new CodeRefusedError();
  }
}
