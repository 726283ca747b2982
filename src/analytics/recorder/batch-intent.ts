import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Log } from '../../core/log';
import { isFileNotFound, replaceFile } from './durable-file';

/** Which journal files are recorded under which number. */
export interface BatchIntent {
  number: number;
  files: string[];
}

/**
 * What the recorder is about to record, in DATA_DIR/recorder.json: stored before a batch is begun,
 * so that after a crash the same files are recorded under the same number. Numbers are times in
 * milliseconds and only rise: they stay unused even when the file is lost or an old one restored.
 */
export class BatchIntents {
  private readonly file: string;
  private last = 0;

  constructor(
    dataDir: string,
    private readonly log: Log,
  ) {
    this.file = path.join(dataDir, 'recorder.json');
  }

  /** The batch that was under way when the last recorder ended, done or not. */
  async resume(): Promise<BatchIntent | undefined> {
    const intent = await this.read();
    this.last = intent?.number ?? 0;
    return intent;
  }

  /** Stores the intent to record these files as the next batch. */
  async begin(files: string[]): Promise<BatchIntent> {
    const intent = { number: Math.max(this.last + 1, Date.now()), files };
    await replaceFile(this.file, `${JSON.stringify(intent)}\n`);
    this.last = intent.number;
    return intent;
  }

  private async read(): Promise<BatchIntent | undefined> {
    let text: string;
    try {
      text = await readFile(this.file, 'utf8');
    } catch (error) {
      if (isFileNotFound(error)) return undefined;
      throw error;
    }
    const intent = parse(text);
    if (intent === undefined) this.log.error('recorder.json is damaged and begun anew');
    return intent;
  }
}

function parse(text: string): BatchIntent | undefined {
  try {
    const value = JSON.parse(text) as Partial<BatchIntent> | null;
    const { number, files } = value ?? {};
    if (!Number.isSafeInteger(number) || !Array.isArray(files)) return undefined;
    // Names only: nothing in here may lead out of the journal's folder.
    if (!files.every((name) => typeof name === 'string' && /^[^/\\]+\.(open|sealed)$/.test(name))) {
      return undefined;
    }
    return { number: number as number, files };
  } catch {
    return undefined;
  }
}
