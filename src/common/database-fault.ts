import { types } from 'node:util';

/** Driver and mongoose error names that mean "no server answered", not "the server refused". */
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
/**
 * Server codes of a node that is stepping down, shutting down or cut off from its peers, and of writes
 * of which a majority has not said in time that it has them (64, 100).
 */
const GOING_AWAY = new Set([
  ...[6, 7, 64, 89, 91, 100, 134, 189, 262],
  ...[9001, 10058, 10107, 11600, 11602, 13435, 13436],
]);
/**
 * Error codes of a socket whose peer went away. The driver wraps these, except after a write that
 * the socket did not take at once (its buffer is full, or its peer is gone and nobody knows yet):
 * then the bare error arrives.
 */
const CUT_OFF = new Set(['EPIPE', 'ECONNRESET', 'ECONNREFUSED', 'ECONNABORTED', 'ETIMEDOUT']);
const ON_A_CONNECTION = new Set(['read', 'write', 'connect']);
const NO_ANSWER = /unable to get response|ended moreToCome/i;

/** How the server says that a statement took longer than it might (MaxTimeMSExpired). */
const OVER_TIME = 50;

/** True when a statement was ended because its time was over. */
export function isOverTime(error: unknown): boolean {
  return types.isNativeError(error) && 'code' in error && error.code === OVER_TIME;
}

/**
 * True when an error says that the database is away, so that the answer is 503. The other peers
 * (Redis, mail, OAuth providers) wrap or handle their own errors where they are used.
 */
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

/** The driver wraps errors of its own in that of a bulk write, which has neither a code nor refusals then. */
function isUnanswered(error: Error & { writeErrors?: unknown; err?: unknown }): boolean {
  return [error.writeErrors ?? []].flat().length === 0 && error.err === undefined;
}

/** A socket that its peer has ended already refuses a write before there is a call to name. */
function isOfAConnection(error: Error & { syscall?: unknown }): boolean {
  const { syscall } = error;
  return syscall === undefined || (typeof syscall === 'string' && ON_A_CONNECTION.has(syscall));
}

/** True for MongoDB's duplicate-key error (11000). */
export function isDuplicateKey(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 11000;
}
