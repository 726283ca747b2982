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
/** Server codes of a node that is stepping down or shutting down. */
const GOING_AWAY = new Set([91, 189, 10107, 11600, 11602, 13435, 13436]);

/** True when a database error says that the database is away, so that the answer is 503. */
export function isDatabaseUnreachable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (UNREACHABLE.has(error.name)) return true;
  if (error.name === 'MongooseError')
    return /buffering|connect|initial connection/i.test(error.message);
  const code = 'code' in error ? error.code : undefined;
  return typeof code === 'number' && error.name.startsWith('Mongo') && GOING_AWAY.has(code);
}

/** True for MongoDB's duplicate-key error (11000). */
export function isDuplicateKey(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 11000;
}
