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

  static async of(answer: Response): Promise<Failure> {
    const body = (await answer.json().catch(() => ({}))) as ErrorBody;
    return Failure.from(answer, body);
  }

  static from(answer: Response, body: ErrorBody): Failure {
    const message = typeof body.error === 'string' ? body.error : texts.problems.unknown;
    const code = typeof body.code === 'string' ? body.code : 'unknown';
    const seconds = Number(answer.headers.get('Retry-After') ?? Number.NaN);
    const retryAt = Number.isFinite(seconds) ? Date.now() + seconds * 1000 : null;
    return new Failure(message, answer.status, code, fieldsOf(body, message), retryAt);
  }
}

function fieldsOf({ field, details }: ErrorBody, message: string): Record<string, string> {
  if (typeof field === 'string') return { [field]: withoutField(message, field) };
  if (!Array.isArray(details)) return {};
  return Object.fromEntries(
    (details as unknown[]).flatMap((each) => {
      const { field: name, error } = each as { field?: unknown; error?: unknown };
      return typeof name === 'string' && typeof error === 'string' ? [[name, error]] : [];
    }),
  );
}

/** `alias: too short` beside the field says its name twice. */
function withoutField(message: string, field: string): string {
  const text = message.startsWith(`${field}: `) ? message.slice(field.length + 2) : message;
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Whatever was thrown, as something to show. */
export function failureOf(thrown: unknown): Failure {
  if (thrown instanceof Failure) return thrown;
  return new Failure(texts.problems.unknown, 500, 'unknown');
}

/** Whether the API does not know a time zone, which browsers may. */
export function hasRefusedZone(thrown: unknown): boolean {
  return thrown instanceof Failure && thrown.status === 400 && 'timezone' in thrown.fields;
}
