import type { Logger } from '../../common/log';

/**
 * The log of a child process: plain lines on its outputs, which the primary takes up into the
 * log of the program, standard output as info and standard error as warnings.
 */
export class PlainLog implements Logger {
  debug(): void {
    // The primary cannot tell details from news.
  }

  info(message: string, extra?: object): void {
    process.stdout.write(plainLine(message, extra));
  }

  warn(message: string, extra?: object): void {
    process.stderr.write(plainLine(message, extra));
  }

  error(message: string, extra?: object): void {
    process.stderr.write(plainLine(message, extra));
  }
}

function plainLine(message: string, extra: object = {}): string {
  const details = Object.entries(extra).map(([name, value]) => `${name}=${detailText(value)}`);
  return `${[message, ...details].join(' ').replace(/[\r\n]+/g, ' ')}\n`;
}

/** Errors of the driver can carry documents: only what they say is told. */
function detailText(value: unknown): string {
  return value instanceof Error ? `${value.name}: ${value.message}` : JSON.stringify(value);
}
