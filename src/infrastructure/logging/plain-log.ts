import type { Logger } from '../../common/log';

/** In child processes: the primary logs standard output as info, standard error as warning. */
export class PlainLog implements Logger {
  debug(): void {
    // The primary would log details as info.
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

/** Driver errors can carry documents: keeps only name and message. */
function detailText(value: unknown): string {
  return value instanceof Error ? `${value.name}: ${value.message}` : JSON.stringify(value);
}
