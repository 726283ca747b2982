import { ProcessLogger } from '../../src/runtime/child-process/child-messages';

/** A logger that keeps its lines, `level message`, for a test to look at. */
export class RecordingLogger implements ProcessLogger {
  readonly lines: string[] = [];

  info(message: string): void {
    this.lines.push(`info ${message}`);
  }

  warn(message: string): void {
    this.lines.push(`warn ${message}`);
  }

  error(message: string): void {
    this.lines.push(`error ${message}`);
  }
}
