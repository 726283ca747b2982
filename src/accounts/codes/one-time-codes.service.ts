import { createHmac, hkdfSync, randomInt, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { TokenOptions } from '../../config/options';
import { CODE_SECONDS, type CodePurpose } from './code';
import { CodeRefusedError } from './codes.errors';
import { CodesRepository } from './codes.repository';

/**
 * One-time codes of six digits (contract 12.4). They are stored under a key that the database does
 * not know: a plain digest of a million possible codes would be none.
 */
@Injectable()
export class OneTimeCodes {
  private readonly key: Buffer;

  constructor(
    private readonly repository: CodesRepository,
    tokens: TokenOptions,
  ) {
    this.key = Buffer.from(hkdfSync('sha256', tokens.secret, '', 'curtail one-time codes', 32));
  }

  /** A new code; earlier ones of the same account and purpose are dead. */
  async issue(userId: string, purpose: CodePurpose): Promise<string> {
    const code = String(randomInt(1_000_000)).padStart(6, '0');
    const expiresAt = new Date(Date.now() + CODE_SECONDS * 1000);
    await this.repository.put(userId, purpose, this.hash(userId, purpose, code), expiresAt);
    return code;
  }

  /**
   * Uses the code up or throws CodeRefusedError. A try is taken before the comparison, so that
   * concurrent guesses have five between them; of concurrent right uses one deletes the code.
   */
  async use(userId: string, purpose: CodePurpose, code: string): Promise<void> {
    const given = this.hash(userId, purpose, code);
    const stored = await this.repository.takeTry(userId, purpose, new Date());
    const right = stored !== null && timingSafeEqual(Buffer.from(stored), Buffer.from(given));
    if (!right || !(await this.repository.consume(userId, purpose, given))) {
      throw new CodeRefusedError();
    }
  }

  private hash(userId: string, purpose: CodePurpose, code: string): string {
    return createHmac('sha256', this.key).update(`${purpose}:${userId}:${code}`).digest('hex');
  }
}
