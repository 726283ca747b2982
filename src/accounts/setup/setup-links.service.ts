import { createHash, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { AppLog } from '../../common/log';
import { DAY_MS, HOUR_MS } from '../../common/time';
import { HttpOptions, OauthOptions, SiteOptions } from '../../config/options';
import type { AuditActor } from '../../audit-trail/audit-entry';
import { AuditTrailService } from '../../audit-trail/audit-trail.service';
import {
  AccountSuspendedError,
  DeletionBegunError,
  SetupClosedError,
  SetupLinkError,
} from '../account/accounts.errors';
import { AccountsRepository } from '../account/accounts.repository';
import { type Account, isGoing } from '../account/account';
import { CodesRepository } from '../codes/codes.repository';
import { AccountMailsService } from '../mails/account-mails.service';
import { signInAccountId } from '../pages/sign-in-pages';
import { SetupTokensRepository } from './setup-tokens.repository';

const TOKEN_BYTES = 32;
const TOKEN_FORM = /^[\w-]{43}$/;

interface SetupLink {
  readonly link: string;
  /** ISO 8601. */
  readonly expires_at: string;
}

/** Links for operators to create the first administrator (docs/contract.md#34.1). */
@Injectable()
export class SetupLinksService {
  constructor(
    private readonly tokens: SetupTokensRepository,
    private readonly accounts: AccountsRepository,
    private readonly http: HttpOptions,
    private readonly site: SiteOptions,
    private readonly oauth: OauthOptions,
    private readonly log: AppLog,
  ) {}

  /**
   * Runs in every process before it accepts requests, because a request could create the first
   * account.
   */
  async markFirstStart(): Promise<void> {
    if ((await this.tokens.isFresh()) !== null) return;
    await this.tokens.markFirstStart(await this.accounts.isEmpty());
  }

  /** Runs in one process at each start. */
  async announce(): Promise<void> {
    await this.markFirstStart();
    if (!(await this.isOpen())) {
      await this.tokens.clear();
      if (!this.site.passwordSignIn && !(await this.accounts.hasAdmin())) this.announceProviders();
      return;
    }
    const { link } = await this.issue();
    this.log.warn(`There is no administrator yet: create one within 24 hours at ${link}`);
  }

  /** Replaces the previous link. @throws SetupClosedError */
  async issue(): Promise<SetupLink> {
    if (!(await this.isOpen())) throw new SetupClosedError(this.site.passwordSignIn);
    const token = randomBytes(TOKEN_BYTES).toString('base64url');
    const expires = new Date(Date.now() + DAY_MS);
    await this.tokens.put({ digest: digestOf(token), expires_at: expires });
    return { link: `${this.http.baseUrl}/setup?token=${token}`, expires_at: expires.toISOString() };
  }

  /** @throws SetupLinkError */
  async demand(token: unknown): Promise<string> {
    const isMeant = typeof token === 'string' && TOKEN_FORM.test(token);
    const isValid = isMeant && (await this.tokens.has(digestOf(token), new Date()));
    if (!isValid || !(await this.isOpen())) throw new SetupLinkError();
    return token;
  }

  /** Invalidates the token, unless the action throws. @throws SetupLinkError */
  async spend<T>(token: string, act: () => Promise<T>): Promise<T> {
    const spent = await this.tokens.takeToken(digestOf(token), new Date());
    if (spent === null) throw new SetupLinkError();
    try {
      return await act();
    } catch (error) {
      await this.tokens.restore(spent);
      throw error;
    }
  }

  private announceProviders(): void {
    const titles = this.oauth.providers.map(({ title }) => title).join(' or ');
    this.log.warn(
      `There is no administrator yet: sign in through ${titles} with an address from ADMIN_EMAILS`,
    );
  }

  private async isOpen(): Promise<boolean> {
    if (!this.site.passwordSignIn) return false;
    return (await this.tokens.isFresh()) === true && !(await this.accounts.hasAdmin());
  }
}

function digestOf(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

/** Links for operators to sign an account in once (docs/contract.md#34.5). */
@Injectable()
export class SignInLinksService {
  constructor(
    private readonly codes: CodesRepository,
    private readonly accounts: AccountsRepository,
    private readonly mails: AccountMailsService,
    private readonly trail: AuditTrailService,
    private readonly http: HttpOptions,
  ) {}

  /** Replaces the account's previous link. @throws AccountSuspendedError, DeletionBegunError */
  async issue(account: Account, actor: AuditActor): Promise<SetupLink> {
    refuseClosed(account);
    const token = account.id + randomBytes(TOKEN_BYTES).toString('base64url');
    const expires = new Date(Date.now() + HOUR_MS);
    await this.codes.put(account.id, 'sign_in', digestOf(token), expires);
    await this.trail.add({
      actor,
      act: 'account.sign_in_link',
      subject: { kind: 'account', id: account.id },
      before: null,
      after: null,
    });
    // The CLI command has no client address.
    this.mails.notify(account.id, { what: 'sign-in link' }, { address: '' });
    return { link: `${this.http.baseUrl}/setup?token=${token}`, expires_at: expires.toISOString() };
  }

  /** Null for texts that are not sign-in tokens. @throws SetupLinkError */
  async find(token: unknown): Promise<Account | null> {
    const id = signInAccountId(token);
    if (id === null) return null;
    const isValid = await this.codes.isValid(id, 'sign_in', digestOf(String(token)), new Date());
    const account = isValid ? await this.accounts.findById(id) : null;
    if (account === null || account.suspended !== null || isGoing(account)) {
      throw new SetupLinkError();
    }
    return account;
  }

  /** @throws SetupLinkError if a concurrent request used the token */
  async useUp({ id }: Account, token: unknown): Promise<void> {
    if (!(await this.codes.consume(id, 'sign_in', digestOf(String(token))))) {
      throw new SetupLinkError();
    }
  }
}

/** The owner of a leaving account may still sign in and restore it. */
function refuseClosed(account: Account): void {
  if (account.suspended !== null) throw new AccountSuspendedError();
  if (isGoing(account)) throw new DeletionBegunError();
}
