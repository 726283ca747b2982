/** What supervising needs of a log; pino and Nest's loggers are adapted to it by the caller. */
export interface ProcessLogger {
  info(message: string, extra?: Record<string, unknown>): void;
  warn(message: string, extra?: Record<string, unknown>): void;
  error(message: string, extra?: Record<string, unknown>): void;
}
