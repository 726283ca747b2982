import { Injectable } from '@nestjs/common';
import type { Client } from '../infrastructure/client-address/client';
import type { Principal } from '../auth/principal';
import { RateLimitError } from '../auth/rate-limit/rate-limiter';
import { isSuperseded, type Account } from './account';
import { hashAccountPassword, isAccountPassword } from './account-password';
import { toUserResponse } from './account.response';
import type {
  MessageResponse,
  ProfileResponse,
  RegisteredResponse,
  SignedInResponse,
} from './account.response';
import { LoginDto, NewPasswordDto, RegisterDto } from './accounts.dto';
import {
  AccountGoneError,
  EmailTakenError,
  LoginFailedError,
  PasswordAlreadySetError,
} from './accounts.errors';
import { AccountsRepository } from './accounts.repository';
import { AccountMailsService } from './mails/account-mails.service';
import { refuseWeakPassword } from './account-password';
import { LoginThrottle } from './sessions/login-throttle';
import { SessionAnswer, type SignInOrigin } from './sessions/session';
import { SessionsService } from './sessions/sessions.service';
import { RegistrationPolicy } from './registration';
import { SignInLog } from './sign-in-log';

/** Accounts and how their owners get in with a password (docs/contract.md#12.2). */
@Injectable()
export class AccountsService {
  constructor(
    private readonly repository: AccountsRepository,
    private readonly sessions: SessionsService,
    private readonly throttle: LoginThrottle,
    private readonly mails: AccountMailsService,
    private readonly registration: RegistrationPolicy,
    private readonly signIns: SignInLog,
  ) {}

  /** Creates the account and signs it in, whether or not its mail can be sent. */
  async register(
    body: RegisterDto,
    { client, device }: SignInOrigin,
  ): Promise<SessionAnswer<RegisteredResponse>> {
    this.registration.demand(body.email);
    refuseWeakPassword(body.password);
    if ((await this.repository.findByEmail(body.email)) !== null) throw new EmailTakenError();
    const passwordHash = await hashAccountPassword(body.password, client);
    const { email, user_name: userName = null } = body;
    const input = { email, userName, passwordHash, emailVerified: false };
    const account = await this.repository.insert(input, new Date());
    this.signIns.registered(client, account, 'password');
    const session = await this.sessions.start(account, ['pwd'], device);
    const answer: RegisteredResponse = {
      access_token: session.accessToken,
      user: toUserResponse(account),
      requires_verification: true,
      verification_sent: await this.mails.sendVerification(account),
    };
    return new SessionAnswer(answer, session);
  }

  /** One answer, at one cost, for unknown email, wrong password and account without password. */
  async login(
    { email, password }: LoginDto,
    { client, device }: SignInOrigin,
  ): Promise<SessionAnswer<SignedInResponse>> {
    const account = await this.repository.findByEmail(email);
    const judged = this.throttle.judge({ email, account, device }, () =>
      isAccountPassword(password, account?.passwordHash ?? null, client),
    );
    const right = await judged.catch((error: unknown) => {
      if (error instanceof RateLimitError) this.signIns.failed(client, account, 'too many tries');
      throw error;
    });
    if (account === null || !right) {
      this.signIns.failed(client, account, 'wrong email or password');
      throw new LoginFailedError();
    }
    const session = await this.sessions.start(account, ['pwd'], device);
    const answer = { access_token: session.accessToken, user: toUserResponse(account) };
    return new SessionAnswer(answer, session);
  }

  async profile(principal: Principal): Promise<ProfileResponse> {
    return { user: toUserResponse(await this.demand(principal)) };
  }

  /** Gives an account that has only signed in through a provider its first password. */
  async setPassword(
    principal: Principal,
    body: NewPasswordDto,
    client: Client,
  ): Promise<MessageResponse> {
    const account = await this.demand(principal);
    if (account.passwordHash !== null) throw new PasswordAlreadySetError();
    refuseWeakPassword(body.password);
    const passwordHash = await hashAccountPassword(body.password, client);
    if (!(await this.repository.setFirstPassword(account, passwordHash))) {
      throw new PasswordAlreadySetError();
    }
    this.mails.notify(account.id, { what: 'password set' }, client);
    return { success: true, message: 'The password is set' };
  }

  /** The account behind a credential; 401 when it is gone, or became somebody else's. */
  async demand(principal: Principal): Promise<Account> {
    const account = await this.repository.findById(principal.userId);
    if (account === null || isSuperseded(account, principal)) throw new AccountGoneError();
    return account;
  }
}
