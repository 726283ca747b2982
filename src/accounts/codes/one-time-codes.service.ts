import { createHmac, hkdfSync, randomBytes, randomInt, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { TokenOptions } from '../../config/options';
import { CODE_SECONDS, type CodePurpose, type CodeVerdict } from './code.schema';
import { CodeBudgetsRepository } from './code-budgets.repository';
import { CodesRepository } from './codes.repository';

/**
 * One-time codes of six digits (docs/contract.md#12.4). They are stored under a key that the database does
 * not know: a plain digest of a million possible codes would be none.
 */
@Injectable()
export class OneTimeCodesService {
  private key?: Buffer;

  constructor(
    private readonly repository: CodesRepository,
    private readonly budgets: CodeBudgetsRepository,
    private readonly tokens: TokenOptions,
  ) {}

  /** A new code; earlier ones of the same account and purpose are dead. */
  async issue(userId: string, purpose: CodePurpose): Promise<string> {
    const code = String(randomInt(1_000_000)).padStart(6, '0');
    await this.repository.put(userId, purpose, this.hash(userId, purpose, code), codeEnd());
    return code;
  }

  /** A code that nobody can know, for an email without an account: it costs what a code costs. */
  async issueUnknowable(emailId: string, purpose: CodePurpose): Promise<void> {
    await this.repository.put(emailId, purpose, randomBytes(32).toString('hex'), codeEnd());
  }

  /** Stands for the account of an email that has none, in the form of an account's id. */
  idOfEmail(email: string): string {
    return this.hmac(`email:${email}`).slice(0, 24);
  }

  /** Whether an account may be issued codes: not after too many wrong ones. */
  async isLocked(userId: string): Promise<boolean> {
    return this.budgets.isLocked(userId, new Date());
  }

  /** Takes one of the mails that an account is sent in an hour; false when there is none left. */
  takeMail(userId: string, clientKey: string): Promise<boolean> {
    return this.budgets.takeMail(userId, this.clientId(userId, clientKey), new Date());
  }

  /** Judges the code, and uses it up if it is the right one. */
  async use(
    userId: string,
    purpose: CodePurpose,
    code: string,
    clientKey: string,
  ): Promise<CodeVerdict> {
    const verdict = await this.judge(userId, purpose, code, clientKey);
    if (!verdict.accepted) return verdict;
    return { accepted: await this.consume(userId, purpose, code), locked: false };
  }

  /**
   * Whether the code is the right one, which is not used up by that. Tries, of the code and of the
   * account, are taken before the comparison, so that concurrent guesses share them; the right code
   * gives them back. A code that was never compared has told nothing and costs no try of the
   * account.
   */
  async judge(
    userId: string,
    purpose: CodePurpose,
    code: string,
    clientKey: string,
  ): Promise<CodeVerdict> {
    const now = new Date();
    const given = this.hash(userId, purpose, code);
    const client = this.clientId(userId, clientKey);
    const stored = await this.repository.takeTry(userId, purpose, client, now);
    const taken = stored === null ? null : await this.budgets.takeTry(userId, now);
    if (stored === null || taken === null) return { accepted: false, locked: false };
    if (!timingSafeEqual(Buffer.from(stored), Buffer.from(given))) {
      return { accepted: false, locked: await this.budgets.lock(userId, now) };
    }
    await this.budgets.giveBack(userId, taken);
    await this.repository.giveTryBack(userId, purpose, { hash: given, client });
    return { accepted: true, locked: false };
  }

  /** Uses a right code up; false when somebody else has, or a newer one was issued. */
  consume(userId: string, purpose: CodePurpose, code: string): Promise<boolean> {
    return this.repository.consume(userId, purpose, this.hash(userId, purpose, code));
  }

  private hash(userId: string, purpose: CodePurpose, code: string): string {
    return this.hmac(`${purpose}:${userId}:${code}`);
  }

  /** Tells the clients of one account apart, and nothing about them. */
  private clientId(userId: string, clientKey: string): string {
    return this.hmac(`client:${userId}:${clientKey}`).slice(0, 16);
  }

  private hmac(text: string): string {
    this.key ??= Buffer.from(
      hkdfSync('sha256', this.tokens.secret, '', 'curtail one-time codes', 32),
    );
    return createHmac('sha256', this.key).update(text).digest('hex');
  }
}

function codeEnd(): Date {
  return new Date(Date.now() + CODE_SECONDS * 1000);
}
