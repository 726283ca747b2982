import { MAX_REASON } from '../../moderation/administration/action/reason.dto';
import { UsageError } from './cli.errors';

export interface AdminWords {
  /** The argument that is not an option; empty if there is none. */
  readonly argument: string;
  readonly options: ReadonlyMap<string, string>;
}

export interface AdminUsage {
  readonly argument?: string;
  readonly options?: Readonly<Record<string, 'needed' | 'optional'>>;
  /** Whether the command requires `--yes`. */
  readonly confirmed?: boolean;
  readonly summary: string;
}

const MAX_OPTION_TEXT = 500;

/** @throws UsageError if an argument is missing, unknown or invalid */
export function parseArguments(
  { argument, options = {}, confirmed = false }: AdminUsage,
  args: readonly string[],
): AdminWords {
  const given = new Map<string, string>();
  const alone: string[] = [];
  const words = args.filter((arg) => !(confirmed && arg === '--yes')).values();
  for (const word of words) {
    if (!word.startsWith('--')) {
      alone.push(word);
      continue;
    }
    const [name = '', value = words.next().value] =
      /^--([^=]*)(?:=(.*))?$/s.exec(word)?.slice(1) ?? [];
    if (!Object.hasOwn(options, name)) throw new UsageError(`Unknown option --${name}`);
    if (value === undefined) throw new UsageError(`--${name} needs a value`);
    given.set(name, value);
  }
  if (alone.length > (argument === undefined ? 0 : 1)) {
    throw new UsageError(`${JSON.stringify(alone.at(-1))} is an unexpected argument`);
  }
  const missing = Object.keys(options).find((key) => options[key] === 'needed' && !given.has(key));
  if (missing !== undefined) throw new UsageError(`--${missing} is required`);
  if (confirmed && !args.includes('--yes'))
    throw new UsageError('This cannot be undone: add --yes to confirm');
  const [only = ''] = alone;
  if (argument !== undefined && only === '') throw new UsageError(`Missing argument: ${argument}`);
  return { argument: only, options: given };
}

type Words = AdminWords['options'];

export function readText(options: Words, name: string): string | undefined {
  const text = options.get(name);
  if (text === undefined || text.length <= MAX_OPTION_TEXT) return text;
  throw new UsageError(`--${name} may have at most ${MAX_OPTION_TEXT} characters`);
}

export function readWord<Word extends string>(
  options: Words,
  name: string,
  known: readonly Word[],
): Word | undefined {
  const given = options.get(name);
  const word = known.find((each) => each === given);
  if (given !== undefined && word === undefined) {
    throw new UsageError(`--${name} must be one of ${known.join(', ')}`);
  }
  return word;
}

export function readReason({ options }: AdminWords): string | null {
  const reason = options.get('reason')?.trim();
  if (reason === undefined) return null;
  if (reason !== '' && reason.length <= MAX_REASON) return reason;
  throw new UsageError(`--reason must have 1 to ${MAX_REASON} characters`);
}
