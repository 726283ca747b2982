import { isatty } from 'node:tty';
import pino, { type DestinationStream, type Logger } from 'pino';
import type { LogOptions } from '../../config/options';
import { AppLog } from '../../common/log';
import { prettyLine } from './pretty-lines';

/** Field names that may contain secrets; pino redacts their values. */
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

export function createPino({ level, format }: LogOptions, destination = standardOutput()): Logger {
  const pretty = (format ?? (isatty(1) ? 'pretty' : 'json')) === 'pretty';
  return pino(
    {
      level,
      base: { pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: {
        paths: SECRET_FIELDS.flatMap((f) => [f, `*.${f}`]),
        censor: '[redacted]',
      },
      serializers: { err: safeError },
    },
    pretty ? prettyTo(destination) : destination,
  );
}

function standardOutput(): DestinationStream {
  return pino.destination({ fd: 1, sync: true });
}

function prettyTo(destination: DestinationStream): DestinationStream {
  const colours = process.stdout.isTTY && process.stdout.hasColors();
  return { write: (line) => destination.write(prettyLine(line, colours)) };
}

/** Keeps only name, message and stack, because driver errors may contain documents. */
function safeError(error: unknown): unknown {
  return error instanceof Error
    ? { type: error.name, message: error.message, stack: error.stack }
    : String(error);
}

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
