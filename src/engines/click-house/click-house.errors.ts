export type ClickHouseFault =
  /** Not running, still starting, or without its tables. */
  | 'unavailable'
  /** Wrong name or password, or no right to the database. */
  | 'denied'
  /** Overloaded, or short of memory for the query. */
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

/** Classes of server error codes; all other codes are `refused`. */
const FAULTS: Readonly<Record<number, ClickHouseFault>> = {
  // Missing tables and databases, which are created at start.
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

/** Error responses begin with the code; older servers send no error header. */
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
