import { createHash } from 'node:crypto';
import { appendFile, mkdir, readFile, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Bytes of answers that are kept; those after them are asked for again. */
const MAX_KEPT_BYTES = 64 * 1024 * 1024;

/**
 * Answers of a service to the step in hand, in a file: a step that is repeated, after a pause or a kill,
 * works on the very same ones, whatever has changed there, and asks only for what it lacked.
 */
export class KeptAnswers {
  private bytes = 0;
  private written: Promise<void> = Promise.resolve();

  private constructor(
    private readonly path: string,
    private readonly step: string,
    private readonly known: ReadonlyMap<string, unknown>,
  ) {}

  /** Opens those of the step that begins at a cursor; answers to another step are removed. */
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

  /** Resolves when the answer is kept, or will not be. */
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

/** A kill may have cut the last line off. */
function parseEntry(line: string): [string, unknown][] {
  try {
    return [JSON.parse(line) as [string, unknown]];
  } catch {
    return [];
  }
}
