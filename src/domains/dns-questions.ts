import { Resolver } from 'node:dns/promises';
import { Injectable } from '@nestjs/common';
import { withTimeout } from '../common/with-timeout';
import { DomainOptions } from '../config/options';
import { FairQueue } from '../processes/fair-queue';
import { ChecksBusyError } from './domains.errors';

/** Timeout per attempt. */
const QUESTION_MS = 2000;
const QUESTION_TRIES = 2;
const CHECK_MS = 5000;
const MAX_CHECKS = 16;
const MAX_WAITING_QUESTIONS = 200;
const MAX_OF_CLIENT = 4;
const QUESTION_WAIT_MS = 20_000;
const MAX_RECORDS = 100;
const MAX_ANSWER_CHARACTERS = 64 * 1024;
const MAX_CNAMES = 8;

/** TXT strings for a name, or the reason why there are none. */
export type TxtAnswer = { readonly texts: readonly string[] } | 'none' | 'silence';

const NO_RECORD_CODES: ReadonlySet<unknown> = new Set(['ENODATA', 'ENOTFOUND']);

/** Queries only configured resolvers and never connects to the domain (docs/contract.md#25.2). */
export class DnsQuestions {
  private readonly resolver = new Resolver({ timeout: QUESTION_MS, tries: QUESTION_TRIES });

  constructor(servers: readonly string[] | null) {
    if (servers !== null) this.resolver.setServers(servers);
  }

  /** Joins a record's strings. Trims white space and quotes that DNS panels add. */
  async texts(name: string): Promise<TxtAnswer> {
    try {
      const records = await this.resolver.resolveTxt(name);
      const texts = records.map((strings) => strings.join(''));
      const size = texts.reduce((sum, text) => sum + text.length, 0);
      const isBounded = texts.length <= MAX_RECORDS && size <= MAX_ANSWER_CHARACTERS;
      if (!isBounded || (await this.hasLongChain(name))) return 'silence';
      return texts.length === 0 ? 'none' : { texts: texts.map(unquoted) };
    } catch (error) {
      return isNone(error) ? 'none' : 'silence';
    }
  }

  /** Returns null if none were found because DNS did not respond. */
  async addresses(name: string): Promise<string[] | null> {
    const answers = await Promise.allSettled([
      this.resolver.resolve4(name),
      this.resolver.resolve6(name),
    ]);
    const found = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    const isSilent = answers.some(
      (answer) => answer.status === 'rejected' && !isNone(answer.reason),
    );
    return isSilent && found.length === 0 ? null : found.slice(0, MAX_RECORDS);
  }

  cancel(): void {
    this.resolver.cancel();
  }

  private async hasLongChain(name: string): Promise<boolean> {
    let [at, length] = [name, 0];
    try {
      for (; length < MAX_CNAMES; length++) {
        const [next] = await this.resolver.resolveCname(at);
        if (next === undefined) return false;
        at = next;
      }
      return true;
    } catch (error) {
      if (isNone(error)) return false;
      throw error;
    }
  }
}

const unquoted = (text: string): string =>
  text
    .trim()
    .replace(/^"(.*)"$/s, '$1')
    .trim();

const isNone = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && NO_RECORD_CODES.has(error.code);

@Injectable()
export class DnsChecks {
  private readonly queue = new FairQueue({
    width: MAX_CHECKS,
    maxInARow: MAX_CHECKS,
    maxWaiting: MAX_WAITING_QUESTIONS,
    maxOfClient: MAX_OF_CLIENT,
    waitMs: QUESTION_WAIT_MS,
    refuse: () => new ChecksBusyError(),
  });

  constructor(private readonly options: DomainOptions) {}

  /** Returns `late()` after five seconds. Throws ChecksBusyError if the queue is full. */
  run<T>(ownerId: string, ask: (questions: DnsQuestions) => Promise<T>, late: () => T): Promise<T> {
    const run = async (): Promise<T> => {
      const questions = new DnsQuestions(this.options.dnsServers);
      try {
        return await withTimeout(ask(questions), CHECK_MS, late);
      } finally {
        questions.cancel();
      }
    };
    return this.queue.run({ key: ownerId }, { lane: 0, run });
  }
}
