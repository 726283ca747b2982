import { createHash } from 'node:crypto';
import { appendFile, mkdir, readFile, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Maximum bytes to keep; later answers are requested again on a retry. */
const MAX_KEPT_BYTES = 64 * 1024 * 1024;

/** A step repeated after a pause or kill sees identical answers, and requests only the rest. */
export class KeptAnswers {
  private bytes = 0;
  private written: Promise<void> = Promise.resolve();

  private constructor(
    private readonly path: string,
    private readonly step: string,
    private readonly known: ReadonlyMap<string, unknown>,
  ) {}

  /** Opens the file for the step at this cursor; deletes answers of other steps. */
  static async open(path: string, cursor: unknown): Promise<KeptAnswers> {
    const step = createHash('sha256').update(JSON.stringify(cursor)).digest('hex');
    const text = await readFile(path, 'utf8').catch(() => '');
    const [head, ...lines] = text.split('\n');
    if (head === step) return new KeptAnswers(path, step, new Map(lines.flatMap(parseEntry)));
    if (text !== '') await rm(path, { force: true });
    return new KeptAnswers(path, step, new Map());
  }

  has(question: string): boolean {
    return this.known.has(question);
  }

  get(question: string): unknown {
    return this.known.get(question);
  }

  /** Resolves once the answer is stored, or storing has failed. */
  keep(question: string, answer: unknown): Promise<void> {
    const line = `\n${JSON.stringify([question, answer])}`;
    this.written = this.written.then(async () => {
      if (this.bytes === 0 && this.known.size === 0) await this.begin();
      this.bytes += line.length;
      if (this.bytes <= MAX_KEPT_BYTES) await appendFile(this.path, line);
    });
    return this.written;
  }

  private async begin(): Promise<void> {
    await mkdir(dirname(this.path), { recursive: true, mode: 0o700 });
    await rm(this.path, { force: true });
    await appendFile(this.path, this.step, { mode: 0o600 });
  }
}

/** A kill may have truncated the last line. */
function parseEntry(line: string): [string, unknown][] {
  try {
    return [JSON.parse(line) as [string, unknown]];
  } catch {
    return [];
  }
}
