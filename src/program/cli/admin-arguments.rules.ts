import type { AdminCommand, AdminWords } from './admin-commands';
import { UsageError } from './cli.errors';

/** @throws UsageError if an argument is missing, unknown or invalid */
export function parseArguments(
  { argument, options = {}, confirmed = false }: AdminCommand,
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
