export type ClickHouseFault =
  /** The server is not running, is still starting, or has no tables. */
  | 'unavailable'
  /** The user name or password is wrong, or the user has no access to the database. */
  | 'denied'
  /** The server is overloaded, or the query needs too much memory. */
  | 'busy'
  | 'slow'
  | 'refused';

export class ClickHouseError extends Error {
  constructor(
    readonly fault: ClickHouseFault,
    reason: string,
    cause?: unknown,
  ) {
    super(`ClickHouse: ${reason}`, { cause });
    this.name = 'ClickHouseError';
  }
}

/** Faults by the server's error code; any other code is `refused`. */
const FAULTS: Readonly<Record<number, ClickHouseFault>> = {
  // Missing tables and databases are created at startup.
  60: 'unavailable',
  81: 'unavailable',
  192: 'denied',
  193: 'denied',
  497: 'denied',
  516: 'denied',
  // Unreachable shards.
  209: 'unavailable',
  210: 'unavailable',
  279: 'unavailable',
  159: 'slow',
  160: 'slow',
  202: 'busy',
  241: 'busy',
  252: 'busy',
  396: 'busy',
};

/** The body of an error response starts with the code; older servers send no error header. */
const ERROR_CODE = /Code: (\d{1,5})\b/;
const MAX_MESSAGE_LENGTH = 500;

export function toClickHouseError(error: unknown): ClickHouseError {
  if (error instanceof ClickHouseError) return error;
  const message = error instanceof Error ? error.message : String(error);
  const ownCode = error instanceof Error && 'code' in error ? Number(error.code) : NaN;
  const code = Number.isInteger(ownCode) ? ownCode : Number(ERROR_CODE.exec(message)?.[1] ?? NaN);
  const fault = Number.isInteger(code) ? (FAULTS[code] ?? 'refused') : 'unavailable';
  return new ClickHouseError(fault, message.slice(0, MAX_MESSAGE_LENGTH), error);
}
