/** The little of a logger that modules need; pino stands behind it. */
export interface Logger {
  debug(message: string, extra?: object): void;
  info(message: string, extra?: object): void;
  warn(message: string, extra?: object): void;
  error(message: string, extra?: object): void;
}

/** Injection token class of the process-wide log. */
export abstract class AppLog implements Logger {
  abstract debug(message: string, extra?: object): void;
  abstract info(message: string, extra?: object): void;
  abstract warn(message: string, extra?: object): void;
  abstract error(message: string, extra?: object): void;
}
