import { ProcessLogger } from '../../../src/processes/child-process/parent-channel';

export class RecordingLogger implements ProcessLogger {
  readonly lines: string[] = [];
  readonly extras: Record<string, unknown>[] = [];

  info(message: string, extra?: Record<string, unknown>): void {
    this.keep('info', message, extra);
  }

  warn(message: string, extra?: Record<string, unknown>): void {
    this.keep('warn', message, extra);
  }

  error(message: string, extra?: Record<string, unknown>): void {
    this.keep('error', message, extra);
  }

  private keep(level: string, message: string, extra?: Record<string, unknown>): void {
    this.lines.push(`${level} ${message}`);
    if (extra !== undefined) this.extras.push(extra);
  }
}
