export interface Logger {
  debug(message: string, extra?: object): void;
  info(message: string, extra?: object): void;
  warn(message: string, extra?: object): void;
  error(message: string, extra?: object): void;
}

export abstract class AppLog implements Logger {
  abstract debug(message: string, extra?: object): void;
  abstract info(message: string, extra?: object): void;
  abstract warn(message: string, extra?: object): void;
  abstract error(message: string, extra?: object): void;
}
