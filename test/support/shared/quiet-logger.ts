import type { Logger } from '../../../src/common/log';

interface LogLine {
  level: 'debug' | 'info' | 'warn' | 'error';
  message: string;
  extra?: object;
}

export class QuietLogger implements Logger {
  readonly lines: LogLine[] = [];

  debug(message: string, extra?: object): void {
    this.lines.push({ level: 'debug', message, extra });
  }

  info(message: string, extra?: object): void {
    this.lines.push({ level: 'info', message, extra });
  }

  warn(message: string, extra?: object): void {
    this.lines.push({ level: 'warn', message, extra });
  }

  error(message: string, extra?: object): void {
    this.lines.push({ level: 'error', message, extra });
  }

  linesAt(level: LogLine['level']): LogLine[] {
    return this.lines.filter((line) => line.level === level);
  }
}
