import { createHash, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { AuditActor } from '../../audit-trail/audit-entry';
import { AuditTrailService } from '../../audit-trail/audit-trail.service';
import { HOUR_MS } from '../../common/time';
import { HttpOptions } from '../../config/options';
import { type Account, isGoing } from '../account/account';
import {
  AccountSuspendedError,
  DeletionBegunError,
  SetupLinkError,
} from '../account/accounts.errors';
import { AccountsRepository } from '../account/accounts.repository';
import { CodesRepository } from '../codes/codes.repository';
import { AccountMailsService } from '../mails/account-mails.service';
import type { SetupLink } from './setup-links.service';

const TOKEN_BYTES = 32;
/** An account's id, then the random part. */
const TOKEN_FORM = /^([0-9a-f]{24})[\w-]{43}$/;

export function isSignInToken(token: unknown): boolean {
  return typeof token === 'string' && TOKEN_FORM.test(token);
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
    const [, id] = typeof token === 'string' ? (TOKEN_FORM.exec(token) ?? []) : [];
    if (id === undefined) return null;
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

function digestOf(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
