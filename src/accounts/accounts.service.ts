import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import type { Client } from '../infrastructure/client-address/client';
import type { Principal } from '../auth/principal';
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
import { SignInService } from './sessions/sign-in.service';

/** Where a sign-in comes from. */
export interface LoginOrigin {
  readonly client: Client;
  /** Value of the device cookie, null without one. */
  readonly device: string | null;
}

/** Accounts and how their owners get in with a password (docs/contract.md#12.2). */
@Injectable()
export class AccountsService {
  constructor(
    private readonly repository: AccountsRepository,
    private readonly signIn: SignInService,
    private readonly throttle: LoginThrottle,
    private readonly mails: AccountMailsService,
  ) {}

  /** Creates the account and signs it in, whether or not its mail can be sent. */
  async register(
    body: RegisterDto,
    client: Client,
    response: Response,
  ): Promise<RegisteredResponse> {
    refuseWeakPassword(body.password);
    if ((await this.repository.findByEmail(body.email)) !== null) throw new EmailTakenError();
    const passwordHash = await hashAccountPassword(body.password, client);
    const { email, user_name: userName = null } = body;
    const input = { email, userName, passwordHash, emailVerified: false };
    const account = await this.repository.insert(input, new Date());
    const accessToken = await this.signIn.open(account, ['pwd'], response);
    return {
      access_token: accessToken,
      user: toUserResponse(account),
      requires_verification: true,
      verification_sent: await this.mails.sendVerification(account),
    };
  }

  /** One answer, at one cost, for unknown email, wrong password and account without password. */
  async login(
    { email, password }: LoginDto,
    { client, device }: LoginOrigin,
    response: Response,
  ): Promise<SignedInResponse> {
    const account = await this.repository.findByEmail(email);
    const right = await this.throttle.judge({ email, account, device }, () =>
      isAccountPassword(password, account?.passwordHash ?? null, client),
    );
    if (account === null || !right) throw new LoginFailedError();
    const accessToken = await this.signIn.open(account, ['pwd'], response);
    return { access_token: accessToken, user: toUserResponse(account) };
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
