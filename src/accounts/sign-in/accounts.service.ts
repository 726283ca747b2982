import { Injectable } from '@nestjs/common';
import type { Client } from '../../infrastructure/client-address/client-address';
import type { Principal } from '../../auth/access';
import { RateLimitError } from '../../auth/access.errors';
import { type Account, isSuperseded, readEmail, SignInLog } from '../account/account';
import {
  hashAccountPassword,
  isAccountPassword,
  refuseWeakPassword,
} from '../account/account-password';
import {
  type MessageResponse,
  type ProfileResponse,
  type RegisteredResponse,
  type SignedInResponse,
  toUserResponse,
} from '../account/account.response';
import {
  ChangePasswordDto,
  LoginDto,
  NewPasswordDto,
  RegisterDto,
  UpdateProfileDto,
} from '../account/accounts.dto';
import {
  AccountGoneError,
  CurrentPasswordWrongError,
  EmailTakenError,
  LoginFailedError,
  PasswordAlreadySetError,
  PasswordNotSetError,
  SessionEndedError,
  RegistrationClosedError,
} from '../account/accounts.errors';
import { AccountsRepository } from '../account/accounts.repository';
import { AdminsService } from '../admin-role/admins.service';
import { AccountMailsService } from '../mails/account-mails.service';
import { LoginThrottle } from '../sessions/login-throttle';
import { SessionAnswer, type SignInOrigin } from '../sessions/session';
import { SessionsService } from '../sessions/sessions.service';
import { AdministrationOptions, SiteOptions } from '../../config/options';

@Injectable()
export class RegistrationPolicy {
  private readonly listed: ReadonlySet<string>;

  constructor(
    private readonly site: SiteOptions,
    { adminEmails }: AdministrationOptions,
  ) {
    this.listed = new Set(adminEmails.map((text) => readEmail(text) ?? text));
  }

  /** @param isProven whether a provider has verified the address */
  demand(email: string, isProven = false): void {
    const { registration, passwordSignIn } = this.site;
    // If passwords are disabled, the first administrator can only be created in this way.
    if (isProven && !passwordSignIn && this.listed.has(email)) return;
    if (registration === 'closed') throw new RegistrationClosedError(registration);
    this.demandDomain(email);
  }

  /** For an existing account, whose email address may change even if registration is closed. */
  demandDomain(email: string): void {
    const { registration } = this.site;
    const domain = email.slice(email.lastIndexOf('@') + 1);
    if (Array.isArray(registration) && !registration.includes(domain)) {
      throw new RegistrationClosedError(registration);
    }
  }
}

@Injectable()
export class AccountsService {
  constructor(
    private readonly repository: AccountsRepository,
    private readonly sessions: SessionsService,
    private readonly throttle: LoginThrottle,
    private readonly mails: AccountMailsService,
    private readonly registration: RegistrationPolicy,
    private readonly signIns: SignInLog,
    private readonly admins: AdminsService,
  ) {}

  /** Succeeds even if the verification email cannot be sent. */
  async register(
    body: RegisterDto,
    origin: SignInOrigin,
  ): Promise<SessionAnswer<RegisteredResponse>> {
    const { client } = origin;
    this.registration.demand(body.email);
    refuseWeakPassword(body.password);
    if ((await this.repository.findByEmail(body.email)) !== null) throw new EmailTakenError();
    const passwordHash = await hashAccountPassword(body.password, client);
    const { email, user_name: userName = null } = body;
    const input = { email, userName, passwordHash, emailVerified: false };
    const account = await this.repository.insert(input, new Date());
    this.signIns.registered(client, account, 'password');
    const session = await this.sessions.start(account, ['pwd'], origin);
    const answer: RegisteredResponse = {
      access_token: session.accessToken,
      user: toUserResponse(account),
      requires_verification: true,
      verification_sent: await this.mails.sendVerification(account),
    };
    return new SessionAnswer(answer, session);
  }

  /** Response and timing do not reveal whether the email or a password exists. */
  async login(
    { email, password }: LoginDto,
    origin: SignInOrigin,
  ): Promise<SessionAnswer<SignedInResponse>> {
    const account = await this.repository.findByEmail(email);
    const right = await this.isRight(password, { email, account }, origin);
    if (account === null || !right) {
      this.signIns.failed(origin.client, account, 'wrong email or password');
      throw new LoginFailedError();
    }
    const session = await this.sessions.start(account, ['pwd'], origin);
    const user = toUserResponse(await this.admins.grantIfListed(account));
    const answer = { access_token: session.accessToken, user };
    return new SessionAnswer(answer, session);
  }

  async profile(principal: Principal): Promise<ProfileResponse> {
    return { user: toUserResponse(await this.demand(principal)) };
  }

  async updateProfile(principal: Principal, body: UpdateProfileDto): Promise<ProfileResponse> {
    const account = await this.demand(principal);
    const { user_name: userName } = body;
    if (userName === undefined) return { user: toUserResponse(account) };
    const renamed = await this.repository.rename(account, userName);
    if (renamed === null) throw new AccountGoneError();
    return { user: toUserResponse(renamed) };
  }

  /** Issues a new token pair to the current session and ends all others. */
  async changePassword(
    principal: Principal,
    body: ChangePasswordDto,
    origin: SignInOrigin,
  ): Promise<SessionAnswer<MessageResponse>> {
    const account = await this.demand(principal);
    const { client } = origin;
    if (account.passwordHash === null) throw new PasswordNotSetError();
    refuseWeakPassword(body.password);
    const tried = { email: account.email, account };
    if (!(await this.isRight(body.current_password, tried, origin))) {
      this.signIns.failed(client, account, 'wrong current password');
      throw new CurrentPasswordWrongError();
    }
    const passwordHash = await hashAccountPassword(body.password, client);
    const changed = await this.repository.changePassword(account, passwordHash);
    if (changed === null || principal.sessionId === null) throw new SessionEndedError();
    this.mails.notify(account.id, { what: 'password changed' }, client);
    const session = await this.sessions.keepOnly(principal.sessionId, changed, origin);
    const message = 'The password is changed, and all other sessions have ended';
    return new SessionAnswer({ success: true, message }, session);
  }

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

  /** @throws AccountGoneError if the account is deleted or has a new owner */
  async demand(principal: Principal): Promise<Account> {
    const account = await this.repository.findById(principal.userId);
    if (account === null || isSuperseded(account, principal)) throw new AccountGoneError();
    return account;
  }

  /** Counts wrong passwords toward the limits on sign-in. @throws RateLimitError */
  async isRight(
    password: string,
    tried: { readonly email: string; readonly account: Account | null },
    { client, device }: SignInOrigin,
  ): Promise<boolean> {
    const { account } = tried;
    const judged = this.throttle.judge({ ...tried, device }, () =>
      isAccountPassword(password, account?.passwordHash ?? null, client),
    );
    return judged.catch((error: unknown) => {
      if (error instanceof RateLimitError)
        this.signIns.failed(client, account, 'too many attempts');
      throw error;
    });
  }
}
