import { duration } from '../format';
import { texts } from '../texts';

/** The body of an error (docs/contract.md#2). */
interface ErrorBody {
  readonly error?: unknown;
  readonly code?: unknown;
  readonly field?: unknown;
  readonly hint?: unknown;
  readonly details?: unknown;
}

/** An answer that is none, or no answer. */
export class Failure extends Error {
  constructor(
    message: string,
    /** 0 when the service could not be reached. */
    readonly status: number,
    readonly code: string,
    /** Messages by the input that they are about. */
    readonly fields: Readonly<Record<string, string>> = {},
    /** When to try again, in milliseconds since 1970; null when that changes nothing. */
    readonly retryAt: number | null = null,
  ) {
    super(message);
  }

  /** Nothing is wrong with the request: it may succeed as it is. */
  get isPassing(): boolean {
    return this.status === 0 || this.status === 429 || this.status >= 500;
  }

  static away(): Failure {
    return new Failure(texts.problems.away, 0, 'away');
  }

  static async fromAnswer(answer: Response): Promise<Failure> {
    const body = (await answer.json().catch(() => ({}))) as ErrorBody;
    return Failure.from(answer, body);
  }

  static from(answer: Response, body: ErrorBody): Failure {
    const { status, headers } = answer;
    const code = typeof body.code === 'string' ? body.code : 'unknown';
    const seconds = Number(headers.get('Retry-After') ?? Number.NaN);
    const retryAt = Number.isFinite(seconds) ? Date.now() + seconds * 1000 : null;
    const id = headers.get('X-Request-ID');
    const message = [
      messageFor(status, code, body.error),
      // A service that is busy says when it is worth another try; a fault needs a number to quote.
      ...(status >= 500 && retryAt === null && id !== null ? [texts.problems.number(id)] : []),
    ].join(' ');
    return new Failure(message, status, code, fieldsOf(status, code, body), retryAt);
  }

  /** About inputs that are seen to be wrong before anything is sent. */
  static ofFields(fields: Readonly<Record<string, string>>): Failure {
    return new Failure(texts.problems.unknown, 422, 'validation_error', fields);
  }

  /** The message for where no time is counted down. */
  get said(): string {
    const left = this.retryAt === null ? 0 : Math.ceil((this.retryAt - Date.now()) / 1000);
    return left > 0 ? `${this.message} ${texts.problems.waits(duration(left))}.` : this.message;
  }
}

function messageFor(status: number, code: string, said: unknown): string {
  if (status === 503) return texts.problems.busy;
  const known: Readonly<Record<string, string>> = texts.errors.codes;
  return known[code] ?? (typeof said === 'string' ? said : texts.problems.unknown);
}

/** Every field that is at fault with what is to be done about it. */
function fieldsOf(status: number, code: string, body: ErrorBody): Record<string, string> {
  const { field, error, details } = body;
  const all: unknown[] =
    typeof field === 'string' ? [{ field, error }] : Array.isArray(details) ? details : [];
  return Object.fromEntries(
    all.flatMap((each) => {
      const { field: name, error: said } = each as { field?: unknown; error?: unknown };
      if (typeof name !== 'string') return [];
      const input = inputOf(name);
      return [[input, fieldText(status, code, input, said, name)]];
    }),
  );
}

/** Where a field has an input for each of its parts. */
const WITH_PARTS = /^(?:rules|geo_rules|ab_variants)\./;

/** The input of a field. A member of a list, such as `scopes.0`, is told of where the list is. */
function inputOf(name: string): string {
  if (WITH_PARTS.test(name)) return name.replace(/\.values\.\d+$/, '.values');
  return name.split('.')[0] ?? name;
}

/** @param name of the field in the API, where that is another */
function fieldText(
  status: number,
  code: string,
  input: string,
  said: unknown,
  name = input,
): string {
  const known: Readonly<Record<string, string>> = texts.errors.fields;
  // Every rule's address is refused in the same words: `rules.to`.
  const field = input.replace(/\.\d+/g, '').replace(/^(geo_rules)\..*$/, '$1');
  return (
    known[`${status} ${field}`] ??
    known[`${code} ${field}`] ??
    known[field] ??
    (typeof said === 'string' ? withoutField(said, name) : texts.problems.unknown)
  );
}

/** The refusal of a row of a bulk route, in words of people. */
export function refusalText(code: string, field: string | null, said: string | null): string {
  const input = field?.split('.')[0];
  return input === undefined
    ? messageFor(422, code, said)
    : fieldText(422, code, input, said ?? undefined);
}

/** `alias: too short` beside the field says its name twice. */
function withoutField(message: string, field: string): string {
  const named = [`${field}: `, `${field} `].find((start) => message.startsWith(start)) ?? '';
  const text = message.slice(named.length);
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Makes something to show of whatever was thrown. */
export function failureOf(thrown: unknown): Failure {
  if (thrown instanceof Failure) return thrown;
  return new Failure(texts.problems.unknown, 500, 'unknown');
}

/** Whether the API does not know a time zone, which browsers may. */
export function hasRefusedZone(thrown: unknown): boolean {
  return thrown instanceof Failure && thrown.status === 400 && 'timezone' in thrown.fields;
}
