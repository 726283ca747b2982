import { types } from 'node:util';

/** Errors of the driver and mongoose meaning that no server responded. */
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
/** Nodes stepping or shutting down or cut off; 64 and 100: writes not acknowledged in time. */
const GOING_AWAY = new Set([
  ...[6, 7, 64, 89, 91, 100, 134, 189, 262],
  ...[9001, 10058, 10107, 11600, 11602, 13435, 13436],
]);
/** The driver wraps these, except after a write that the socket did not accept immediately. */
const CUT_OFF = new Set(['EPIPE', 'ECONNRESET', 'ECONNREFUSED', 'ECONNABORTED', 'ETIMEDOUT']);
const ON_A_CONNECTION = new Set(['read', 'write', 'connect']);
const NO_ANSWER = /unable to get response|ended moreToCome/i;

/** MaxTimeMSExpired */
const OVER_TIME = 50;

export function isOverTime(error: unknown): boolean {
  return types.isNativeError(error) && 'code' in error && error.code === OVER_TIME;
}

/** Redis, mail and OAuth errors are handled where they occur. */
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

/** The driver wraps its own errors in bulk-write errors without codes and write errors. */
function isUnanswered(error: Error & { writeErrors?: unknown; err?: unknown }): boolean {
  return [error.writeErrors ?? []].flat().length === 0 && error.err === undefined;
}

/** A socket closed by its peer rejects a write before any system call. */
function isOfAConnection(error: Error & { syscall?: unknown }): boolean {
  const { syscall } = error;
  return syscall === undefined || (typeof syscall === 'string' && ON_A_CONNECTION.has(syscall));
}

export function isDuplicateKey(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 11000;
}
