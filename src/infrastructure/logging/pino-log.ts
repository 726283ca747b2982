import pino, { type Logger } from 'pino';
import type { LogLevel } from '../../config/options';
import { AppLog } from '../../common/log';

/** Names under which a secret could reach a log line; pino blanks them wherever they stand. */
const SECRET_FIELDS = [
  'password',
  'token',
  'access_token',
  'refresh_token',
  'authorization',
  'cookie',
  'secret',
  'key',
];

/** Structured log lines on standard output (pino, JSON). */
export function createPino(level: LogLevel): Logger {
  return pino({
    level,
    base: { pid: process.pid },
    redact: {
      paths: SECRET_FIELDS.flatMap((f) => [f, `*.${f}`]),
      censor: '[redacted]',
    },
    serializers: { err: safeError },
  });
}

/** Errors of drivers can carry documents and commands: only name, message and stack are kept. */
function safeError(error: unknown): unknown {
  return error instanceof Error
    ? { type: error.name, message: error.message, stack: error.stack }
    : String(error);
}

/** The process-wide log over pino. */
export class PinoLog extends AppLog {
  constructor(private readonly logger: Logger) {
    super();
  }

  debug(message: string, extra: object = {}): void {
    this.logger.debug(extra, message);
  }

  info(message: string, extra: object = {}): void {
    this.logger.info(extra, message);
  }

  warn(message: string, extra: object = {}): void {
    this.logger.warn(extra, message);
  }

  error(message: string, extra: object = {}): void {
    this.logger.error(extra, message);
  }
}
