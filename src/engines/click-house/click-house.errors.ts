/** How a failure of ClickHouse is to be answered. */
export type ClickHouseFault =
  /** No server, or one that is only starting or has lost its tables. */
  | 'unavailable'
  /** It has too much to do, or too little memory for the question. */
  | 'busy'
  | 'slow'
  /** It refuses what is asked. */
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

/** Codes of the server by what they mean; all others refuse a statement. */
const FAULTS: Readonly<Record<number, ClickHouseFault>> = {
  // Its tables and databases: made at the start.
  60: 'unavailable',
  81: 'unavailable',
  // A wrong password, by version.
  192: 'unavailable',
  193: 'unavailable',
  516: 'unavailable',
  // Shards that do not answer.
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

/** An answer of the server begins with its code; older versions do not mark it as an error's. */
const ERROR_CODE = /Code: (\d{1,5})\b/;
const MAX_MESSAGE_LENGTH = 500;

/** Returns the error that any failure of the client stands for. */
export function toClickHouseError(error: unknown): ClickHouseError {
  if (error instanceof ClickHouseError) return error;
  const message = error instanceof Error ? error.message : String(error);
  const ownCode = error instanceof Error && 'code' in error ? Number(error.code) : NaN;
  const code = Number.isInteger(ownCode) ? ownCode : Number(ERROR_CODE.exec(message)?.[1] ?? NaN);
  const fault = Number.isInteger(code) ? (FAULTS[code] ?? 'refused') : 'unavailable';
  return new ClickHouseError(fault, message.slice(0, MAX_MESSAGE_LENGTH), error);
}
