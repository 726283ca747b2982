import type { Logger } from '../../common/log';

/** For child processes: the primary logs their output as info and their errors as warnings. */
export class PlainLog implements Logger {
  debug(): void {
    // Debug messages are skipped, because the primary would log them as info.
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

/** Keeps only name and message, because driver errors may contain documents. */
function detailText(value: unknown): string {
  return value instanceof Error ? `${value.name}: ${value.message}` : JSON.stringify(value);
}
