import { LoggerService } from '@nestjs/common';
import { AppLog } from '../../common/log';

export class NestLog implements LoggerService {
  constructor(private readonly target: AppLog) {}

  log(message: unknown, context?: string): void {
    this.target.debug(String(message), { context });
  }

  debug(message: unknown, context?: string): void {
    this.target.debug(String(message), { context });
  }

  verbose(message: unknown, context?: string): void {
    this.target.debug(String(message), { context });
  }

  warn(message: unknown, context?: string): void {
    this.target.warn(String(message), { context });
  }

  error(message: unknown, stack?: string, context?: string): void {
    this.target.error(String(message), { context, stack });
  }
}
