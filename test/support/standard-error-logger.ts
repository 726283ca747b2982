import type { ProcessLogger } from '../../src/processes/child-process/parent-channel';

export class StandardErrorLogger implements ProcessLogger {
  info(message: string): void {
    process.stderr.write(`${message}\n`);
  }

  warn(message: string): void {
    this.info(message);
  }

  error(message: string): void {
    this.info(message);
  }
}
