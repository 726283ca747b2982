import { parseUrl } from '../common/url';

/** A wrong environment value: one line that names variable, value and what is allowed. */
export class ConfigurationError extends Error {
  constructor(name: string, value: string | undefined, allowed: string) {
    super(
      value === undefined ? `${name}: ${allowed}` : `${name}=${JSON.stringify(value)}: ${allowed}`,
    );
    this.name = 'ConfigurationError';
  }
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** The value of a variable; an empty or blank one counts as unset. */
export function text(env: Environment, name: string): string | null {
  const value = env[name]?.trim();
  return value === undefined || value === '' ? null : value;
}

export function integer(
  env: Environment,
  name: string,
  range: { min: number; max: number; fallback: number },
): number {
  const value = text(env, name);
  if (value === null) return range.fallback;
  const number = /^\d{1,9}$/.test(value) ? Number(value) : NaN;
  if (!(number >= range.min && number <= range.max)) {
    throw new ConfigurationError(
      name,
      value,
      `must be an integer from ${range.min} to ${range.max}`,
    );
  }
  return number;
}

export function flag(env: Environment, name: string, fallback: boolean): boolean {
  const value = text(env, name);
  if (value === null) return fallback;
  if (value === 'true' || value === 'false') return value === 'true';
  throw new ConfigurationError(name, value, 'must be true or false');
}

export function oneOf<T extends string>(
  env: Environment,
  name: string,
  allowed: readonly T[],
  fallback: T,
): T {
  const value = text(env, name);
  if (value === null) return fallback;
  const found = allowed.find((candidate) => candidate === value.toLowerCase());
  if (found !== undefined) return found;
  throw new ConfigurationError(name, value, `must be one of ${allowed.join(', ')}`);
}

/** A URL with one of the given schemes; `secret` keeps its value out of the message. */
export function url(
  env: Environment,
  name: string,
  schemes: readonly string[],
  secret = false,
): string | null {
  const value = text(env, name);
  if (value === null) return null;
  const scheme = /^([a-z][a-z0-9+.-]*):\/\/./i.exec(value)?.[1]?.toLowerCase();
  if (
    scheme !== undefined &&
    schemes.includes(scheme) &&
    (scheme === 'mongodb' || parseUrl(value) !== null)
  ) {
    return value;
  }
  throw new ConfigurationError(
    name,
    secret ? '…' : value,
    `must be a URL starting with ${schemes.map((s) => `${s}://`).join(' or ')}`,
  );
}
