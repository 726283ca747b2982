import { Injectable } from '@nestjs/common';
import { RequestValidationPipe } from '../../common/http/validation.pipe';
import type { HttpResult } from '../../common/http/http-result';
import { DASHBOARD } from '../../common/return-path';
import { hashAccountPassword, refuseWeakPassword } from '../account/account-password';
import { EmailTakenError, SetupLinkError } from '../account/accounts.errors';
import { AccountsRepository } from '../account/accounts.repository';
import { SignInLog } from '../account/account';
import { AdminsService } from '../admin-role/admins.service';
import { RegisterFormDto } from '../pages/account-forms.dto';
import { type Onward, onward } from '../pages/account-pages.service';
import { SessionAnswer, type SignInOrigin } from '../sessions/session';
import { SessionsService } from '../sessions/sessions.service';
import { SetupLinksService, SignInLinksService } from './setup-links.service';
import { setupPage, signInPage } from '../pages/sign-in-pages';

@Injectable()
export class SetupService {
  private readonly validation = new RequestValidationPipe();

  constructor(
    private readonly links: SetupLinksService,
    private readonly signInLinks: SignInLinksService,
    private readonly accounts: AccountsRepository,
    private readonly admins: AdminsService,
    private readonly sessions: SessionsService,
    private readonly signIns: SignInLog,
  ) {}

  /** @throws SetupLinkError */
  async show(token: unknown): Promise<HttpResult> {
    const account = await this.signInLinks.find(token);
    const markup =
      account === null
        ? setupPage({ token: await this.links.demand(token) })
        : signInPage(account.email, String(token));
    return { kind: 'page', markup };
  }

  /**
   * Checks the token before the other fields, so that only the token's holder sees their errors.
   */
  async create(form: unknown, origin: SignInOrigin): Promise<SessionAnswer<Onward>> {
    const fields: { token?: unknown } = typeof form === 'object' ? { ...form } : {};
    const known = await this.signInLinks.find(fields.token);
    if (known !== null) {
      await this.signInLinks.useUp(known, fields.token);
      const session = await this.sessions.start(known, ['cli'], origin);
      await this.admins.grantIfListed(known);
      return new SessionAnswer(onward(DASHBOARD), session);
    }
    const token = await this.links.demand(fields.token);
    const body = { type: 'body', metatype: RegisterFormDto } as const;
    const input = (await this.validation.transform(fields, body)) as RegisterFormDto;
    const { email, password, user_name: userName = null } = input;
    refuseWeakPassword(password);
    if ((await this.accounts.findByEmail(email)) !== null) throw new EmailTakenError();
    const account = await this.links.spend(token, async () => {
      const passwordHash = await hashAccountPassword(password, origin.client);
      return this.admins.createFirst({ email, userName, passwordHash, emailVerified: true });
    });
    if (account === null) throw new SetupLinkError();
    this.signIns.registered(origin.client, account, 'setup');
    const session = await this.sessions.start(account, ['pwd'], origin);
    return new SessionAnswer(onward(DASHBOARD), session);
  }
}
