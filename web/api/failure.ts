import { duration } from '../format';
import { texts } from '../texts';

interface ErrorBody {
  readonly error?: unknown;
  readonly code?: unknown;
  readonly field?: unknown;
  readonly hint?: unknown;
  readonly details?: unknown;
}

/** A failed request: an error response or no response. */
export class Failure extends Error {
  constructor(
    message: string,
    /** HTTP status; 0 if the service was unreachable. */
    readonly status: number,
    readonly code: string,
    readonly fields: Readonly<Record<string, string>> = {},
    /** Earliest retry time in milliseconds since 1970; null if a retry would not help. */
    readonly retryAt: number | null = null,
  ) {
    super(message);
  }

  /** Whether the same request may succeed later. */
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
      // A busy service sends a retry time. For other errors, the text contains the request id.
      ...(status >= 500 && retryAt === null && id !== null ? [texts.problems.number(id)] : []),
    ].join(' ');
    return new Failure(message, status, code, fieldsOf(status, code, body), retryAt);
  }

  static ofFields(fields: Readonly<Record<string, string>>): Failure {
    return new Failure(texts.problems.unknown, 422, 'validation_error', fields);
  }

  /** Message without a countdown. */
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

function fieldsOf(status: number, code: string, body: ErrorBody): Record<string, string> {
  const { field, error, details } = body;
  const all: unknown[] =
    typeof field === 'string' ? [{ field, error }] : Array.isArray(details) ? details : [];
  return Object.fromEntries(
    all.flatMap((each) => {
      const { field: name, error: said } = each as { field?: unknown; error?: unknown };
      if (typeof name !== 'string') return [];
      // A tested draft has the fields of its link.
      const input = inputOf(name.replace(/^draft\./, ''));
      return [[input, fieldText(status, code, input, said, name)]];
    }),
  );
}

const WITH_PARTS = /^(?:rules|geo_rules|ab_variants)\./;

/** Returns a field's input. List members such as `scopes.0` use the list's input. */
function inputOf(name: string): string {
  if (WITH_PARTS.test(name)) return name.replace(/\.values\.\d+$/, '.values');
  return name.split('.')[0] ?? name;
}

/** @param name API name of the field, if different */
function fieldText(
  status: number,
  code: string,
  input: string,
  said: unknown,
  name = input,
): string {
  const known: Readonly<Record<string, string>> = texts.errors.fields;
  // All rules' addresses share one text, `rules.to`.
  const field = input.replace(/\.\d+/g, '').replace(/^(geo_rules)\..*$/, '$1');
  return (
    known[`${status} ${field}`] ??
    known[`${code} ${field}`] ??
    known[field] ??
    (typeof said === 'string' ? withoutField(said, name) : texts.problems.unknown)
  );
}

export function refusalText(code: string, field: string | null, said: string | null): string {
  const input = field?.split('.')[0];
  return input === undefined
    ? messageFor(422, code, said)
    : fieldText(422, code, input, said ?? undefined);
}

/** Removes the field name from `alias: too short`, which the label repeats. */
function withoutField(message: string, field: string): string {
  const named = [`${field}: `, `${field} `].find((start) => message.startsWith(start)) ?? '';
  const text = message.slice(named.length);
  return text.charAt(0).toUpperCase() + text.slice(1);
}

export function failureOf(thrown: unknown): Failure {
  if (thrown instanceof Failure) return thrown;
  return new Failure(texts.problems.unknown, 500, 'unknown');
}

/** Whether the API refused a time zone that the browser knows. */
export function hasRefusedZone(thrown: unknown): boolean {
  return thrown instanceof Failure && thrown.status === 400 && 'timezone' in thrown.fields;
}
