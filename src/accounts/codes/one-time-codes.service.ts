import { createHmac, hkdfSync, randomBytes, randomInt, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { TokenOptions } from '../../config/options';
import { CODE_SECONDS, type CodePurpose, type CodeVerdict } from './code.schema';
import { CodeBudgetsRepository, CodesRepository } from './codes.repository';

/** Stores keyed digests of six-digit codes, because plain digests could be brute-forced. */
@Injectable()
export class OneTimeCodesService {
  private key?: Buffer;

  constructor(
    private readonly repository: CodesRepository,
    private readonly budgets: CodeBudgetsRepository,
    private readonly tokens: TokenOptions,
  ) {}

  /** Invalidates earlier codes for the account and purpose. */
  async issue(userId: string, purpose: CodePurpose, address?: string): Promise<string> {
    const code = String(randomInt(1_000_000)).padStart(6, '0');
    const hash = this.hash(userId, purpose, code);
    await this.repository.put(userId, purpose, hash, codeEnd(), address);
    return code;
  }

  /** Stores a code that is not sent, to keep the timing the same. */
  async issueUnknowable(id: string, purpose: CodePurpose, address?: string): Promise<void> {
    const hash = randomBytes(32).toString('hex');
    await this.repository.put(id, purpose, hash, codeEnd(), address);
  }

  /** Returns the address that the latest code was sent to. */
  addressOf(userId: string, purpose: CodePurpose): Promise<string | null> {
    return this.repository.findAddress(userId, purpose);
  }

  removeAll(userId: string): Promise<void> {
    return this.repository.removeByAccount(userId);
  }

  /** Ends a lock after wrong codes. */
  unlock(userId: string): Promise<void> {
    return this.budgets.removeByAccount(userId);
  }

  /** Used in place of the account id if the email has no account. */
  idOfEmail(email: string): string {
    return this.hmac(`email:${email}`).slice(0, 24);
  }

  async isLocked(userId: string): Promise<boolean> {
    return this.budgets.isLocked(userId, new Date());
  }

  takeMail(userId: string, clientKey: string): Promise<boolean> {
    return this.budgets.takeMail(userId, this.clientId(userId, clientKey), new Date());
  }

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
   * Counts the attempt before comparing, so that concurrent guesses cannot exceed the limit, and
   * refunds it if the code is correct. Without a valid code, the attempt does not count.
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

  /** Returns false if the code was used or replaced concurrently. */
  consume(userId: string, purpose: CodePurpose, code: string): Promise<boolean> {
    return this.repository.consume(userId, purpose, this.hash(userId, purpose, code));
  }

  private hash(userId: string, purpose: CodePurpose, code: string): string {
    return this.hmac(`${purpose}:${userId}:${code}`);
  }

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
