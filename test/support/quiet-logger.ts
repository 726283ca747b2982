import type { ProcessLogger } from '../../src/platform/process/process-logger';

interface LogLine {
  level: 'info' | 'warn' | 'error';
  message: string;
  extra?: Record<string, unknown>;
}

/** A logger that prints nothing and remembers what it was told. */
export class QuietLogger implements ProcessLogger {
  readonly lines: LogLine[] = [];

  info(message: string, extra?: Record<string, unknown>): void {
    this.lines.push({ level: 'info', message, extra });
  }

  warn(message: string, extra?: Record<string, unknown>): void {
    this.lines.push({ level: 'warn', message, extra });
  }

  error(message: string, extra?: Record<string, unknown>): void {
    this.lines.push({ level: 'error', message, extra });
  }

  of(level: LogLine['level']): LogLine[] {
    return this.lines.filter((line) => line.level === level);
  }
}
