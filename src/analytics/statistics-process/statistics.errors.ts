import {
  CancelledError,
  EngineBusyError,
  MemoryNeededError,
} from '../../engines/click-engine/chunk/engine.errors';
import { ClickHouseError } from '../../engines/click-house/click-house.errors';
import { ClicksElsewhereError } from '../../clicks/store/click-home.errors';
import { isDatabaseUnreachable } from '../../common/database-fault';
import {
  CurtailError,
  DatabaseUnavailableError,
  forbidden,
  type LogLevelOfError,
  unauthenticated,
} from '../../common/errors';
import { registerRpcError } from '../../processes/rpc/rpc-errors';

/** 500: counting failed. The response never contains zeros instead. */
export class StatisticsFailedError extends CurtailError {
  constructor(cause: unknown) {
    super(500, 'internal_error', 'The statistics could not be computed', { cause });
  }
}

const RETRY_SECONDS = 10;
const MAX_RETRY_SECONDS = 600;
const MEGABYTE = 1024 * 1024;

/** 503: the statistics process has ended and is being restarted. */
export class StatisticsUnavailableError extends CurtailError {
  constructor(cause: unknown, message = 'The statistics are not available; try again shortly') {
    super(503, 'internal_error', message, {
      headers: { 'Retry-After': String(RETRY_SECONDS) },
      cause,
    });
  }
}

/** 503 until settings change: clicks are in another database, or ClickHouse denies access. */
export class StatisticsMisconfiguredError extends StatisticsUnavailableError {
  constructor(cause: unknown) {
    super(cause, "The statistics are not available; the service's log shows the cause");
  }
}

/** 503: too many queries. */
export class StatisticsBusyError extends CurtailError {
  constructor(
    reason = 'Too many statistics queries; try again shortly',
    readonly seconds = RETRY_SECONDS,
  ) {
    super(503, 'internal_error', reason, { headers: { 'Retry-After': String(seconds) } });
  }

  /** Expected under load, so not logged as an error. */
  override get logLevel(): LogLevelOfError {
    return 'info';
  }
}

/** 503: the client has disconnected and receives no response. */
export class StatisticsAbandonedError extends StatisticsBusyError {
  constructor() {
    super('The client is no longer waiting for these statistics');
  }

  override get logLevel(): LogLevelOfError {
    return 'debug';
  }
}

/** 503: a single query exceeds the time limit. The next query continues loading its clicks. */
export class StatisticsSlowError extends StatisticsBusyError {
  constructor() {
    super('These statistics take too long to count; try again shortly');
  }

  override get logLevel(): LogLevelOfError {
    return 'warn';
  }
}

/** 503: clicks are being read. `Retry-After` contains the estimated time. */
export class StatisticsLoadingError extends StatisticsBusyError {
  constructor(seconds: number) {
    super(`The statistics are being loaded; try again in ${seconds} seconds`, seconds);
  }

  static forTime(remainingMs: number): StatisticsLoadingError {
    const seconds = Math.ceil(remainingMs / 1000);
    return new StatisticsLoadingError(
      Math.min(Math.max(seconds, RETRY_SECONDS), MAX_RETRY_SECONDS),
    );
  }
}

/** 503: the query's clicks exceed the configured memory limit. */
export class StatisticsMemoryError extends CurtailError {
  constructor(message: string) {
    super(503, 'internal_error', message, {
      hint: 'Raise STATISTICS_MEMORY_MB to that size, or set CLICKHOUSE_URL to count clicks in ClickHouse',
    });
  }

  static needing(bytes: number): StatisticsMemoryError {
    const megabytes = Math.ceil(bytes / MEGABYTE);
    return new StatisticsMemoryError(
      `These statistics need about ${megabytes} MB of memory (${bytes} bytes), more than the limit allows`,
    );
  }

  override get logLevel(): LogLevelOfError {
    return 'warn';
  }
}

registerRpcError(
  StatisticsBusyError,
  'statistics.busy',
  (reason) => new StatisticsBusyError(reason),
);
registerRpcError(StatisticsAbandonedError, 'statistics.gone', () => new StatisticsAbandonedError());
registerRpcError(
  StatisticsMemoryError,
  'statistics.memory',
  (message) => new StatisticsMemoryError(message),
);
registerRpcError(StatisticsSlowError, 'statistics.slow', () => new StatisticsSlowError());
registerRpcError(
  DatabaseUnavailableError,
  'database',
  (reason) => new DatabaseUnavailableError(new Error(reason)),
  causeText,
);
// Registered here because the engine does not register its errors, which occur in worker threads.
registerRpcError(CancelledError, 'engine.cancelled', () => new CancelledError());
registerRpcError(EngineBusyError, 'engine.busy', () => new EngineBusyError());

registerRpcError(
  StatisticsUnavailableError,
  'statistics.unavailable',
  (reason) => new StatisticsUnavailableError(new Error(reason)),
  causeText,
);
registerRpcError(
  StatisticsMisconfiguredError,
  'statistics.misconfigured',
  (reason) => new StatisticsMisconfiguredError(new Error(reason)),
  causeText,
);
registerRpcError(
  StatisticsLoadingError,
  'statistics.loading',
  (seconds) => new StatisticsLoadingError(Number(seconds)),
  ({ seconds }) => String(seconds),
);

/** Returns the cause, so that the log contains it in any process. */
function causeText({ cause, message }: Error): string {
  return cause instanceof Error ? cause.message : message;
}

export function toStatisticsError(error: unknown): unknown {
  if (error instanceof CancelledError || error instanceof EngineBusyError) {
    return new StatisticsBusyError();
  }
  if (error instanceof MemoryNeededError) {
    return StatisticsMemoryError.needing(error.bytes);
  }
  if (error instanceof ClicksElsewhereError) return new StatisticsMisconfiguredError(error);
  if (error instanceof ClickHouseError) return ofClickHouse(error);
  return isDatabaseUnreachable(error) ? new DatabaseUnavailableError(error) : error;
}

function ofClickHouse(error: ClickHouseError): Error {
  if (error.fault === 'unavailable') return new StatisticsUnavailableError(error);
  if (error.fault === 'denied') return new StatisticsMisconfiguredError(error);
  if (error.fault === 'busy') return new StatisticsBusyError();
  return error.fault === 'slow' ? new StatisticsSlowError() : error;
}

/** 422: the request has no scope and DEFAULT_STATS_SCOPE is not set. */
export class MissingScopeError extends CurtailError {
  constructor() {
    const text = 'scope is missing: use all (your links) or anon (a public link, with short_code)';
    super(422, 'validation_error', text, { field: 'scope' });
  }
}

export class PrivateStatisticsError extends unauthenticated(
  'The statistics of this link are private: sign in as its owner',
) {}

export class ForeignStatisticsError extends forbidden(
  'These statistics belong to another account',
) {}
