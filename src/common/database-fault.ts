import { types } from 'node:util';

/** Driver and mongoose errors that mean no server responded. */
const UNREACHABLE = new Set([
  'MongoServerSelectionError',
  'MongooseServerSelectionError',
  'MongoNetworkError',
  'MongoNetworkTimeoutError',
  'MongoPoolClearedError',
  'MongoPoolClosedError',
  'MongoNotConnectedError',
  'MongoTopologyClosedError',
  'MongoWaitQueueTimeoutError',
  'MongoClientClosedError',
  'MongoExpiredSessionError',
  'PoolClearedOnNetworkError',
]);
/** Codes from nodes that step down, shut down or are unreachable, or do not acknowledge a write. */
const GOING_AWAY = new Set([
  ...[6, 7, 64, 89, 91, 100, 134, 189, 262],
  ...[9001, 10058, 10107, 11600, 11602, 13435, 13436],
]);
/** The driver usually wraps these errors, but not if a socket rejects a buffered write. */
const CUT_OFF = new Set(['EPIPE', 'ECONNRESET', 'ECONNREFUSED', 'ECONNABORTED', 'ETIMEDOUT']);
const ON_A_CONNECTION = new Set(['read', 'write', 'connect']);
const NO_ANSWER = /unable to get response|ended moreToCome/i;

/** Error code MaxTimeMSExpired. */
const OVER_TIME = 50;

export function isOverTime(error: unknown): boolean {
  return types.isNativeError(error) && 'code' in error && error.code === OVER_TIME;
}

/** Returns false for errors from Redis, mail and OAuth, which their own modules handle. */
export function isDatabaseUnreachable(error: unknown): boolean {
  if (!types.isNativeError(error)) return false;
  if (UNREACHABLE.has(error.name)) return true;
  if (error.name === 'MongooseError')
    return /buffering|connect|initial connection/i.test(error.message);
  if (error.name === 'MongoUnexpectedServerResponseError') return NO_ANSWER.test(error.message);
  const code = 'code' in error ? error.code : undefined;
  if (error.name === 'MongoBulkWriteError' && code === undefined) return isUnanswered(error);
  if (typeof code === 'string') return CUT_OFF.has(code) && isOfAConnection(error);
  return typeof code === 'number' && error.name.startsWith('Mongo') && GOING_AWAY.has(code);
}

/** Whether a bulk-write error only wraps a driver error. */
function isUnanswered(error: Error & { writeErrors?: unknown; err?: unknown }): boolean {
  return [error.writeErrors ?? []].flat().length === 0 && error.err === undefined;
}

/** A socket that the peer has closed rejects a write without a system call. */
function isOfAConnection(error: Error & { syscall?: unknown }): boolean {
  const { syscall } = error;
  return syscall === undefined || (typeof syscall === 'string' && ON_A_CONNECTION.has(syscall));
}

/** Whether a query uses an index that does not exist. */
export function isMissingIndex(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 2;
}

export function isDuplicateKey(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 11000;
}
