import { processEnvironment } from '../../config/environment';
import { parseMongoUri } from '../../config/environment.schema';
import { readSettings, type Settings } from '../../config/settings';
import { UsageError } from './cli.errors';

const PROGRESS_MS = 2000;

/** Returns the exit code: that of `run` or 0; 1 after a failure; 2 for invalid arguments. */
export async function runCommand(
  args: readonly string[],
  usage: string,
  run: () => Promise<unknown>,
): Promise<number> {
  if (args.includes('--help')) {
    console.log(usage);
    return 0;
  }
  try {
    const code = await run();
    return typeof code === 'number' ? code : 0;
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    if (!(error instanceof UsageError)) return 1;
    const [synopsis = ''] = usage.split('\n\n');
    console.error(`${synopsis}\nAdd --help for all commands and options.`);
    return 2;
  }
}

/** @param run receives a signal that SIGINT and SIGTERM abort, so that it can clean up */
export async function untilInterrupted(run: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const interruption = new AbortController();
  const interrupt = (): void =>
    interruption.abort(new Error('Interrupted; incomplete output was removed'));
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt);
  try {
    await run(interruption.signal);
  } finally {
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
  }
}

/** Prints progress messages, at most every two seconds. */
export class Progress {
  private toldAt = 0;

  /** @param now true to print the message even if another was just printed */
  tell(line: string, now = false): void {
    if (!now && performance.now() - this.toldAt < PROGRESS_MS) return;
    this.toldAt = performance.now();
    console.error(line);
  }
}

export function embeddedSettings(instead: string): Settings {
  const { MONGODB_URI, MONGODB_URI_FILE, ...environment } = processEnvironment();
  if (parseMongoUri({ MONGODB_URI, MONGODB_URI_FILE }) !== null) {
    throw new UsageError(
      `MONGODB_URI is set, but this command is for the embedded database: use ${instead}`,
    );
  }
  return readSettings(environment);
}

export function pathAndOptions(
  args: readonly string[],
  known: readonly string[],
): { path: string; options: ReadonlySet<string> } {
  const options = args.filter((arg) => arg.startsWith('-'));
  const unknown = options.find((option) => !known.includes(option));
  if (unknown !== undefined) throw new UsageError(`Unknown option ${unknown}`);
  const [path, ...rest] = args.filter((arg) => !arg.startsWith('-'));
  if (path === undefined || path === '')
    throw new UsageError('Missing argument: a folder, or a file that ends in .tar or .tar.gz');
  if (rest.length > 0) throw new UsageError('Only one folder or file is allowed');
  return { path, options: new Set(options) };
}
