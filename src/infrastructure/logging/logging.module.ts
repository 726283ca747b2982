import { DynamicModule, Global, Module } from '@nestjs/common';
import { AppLog } from '../../common/log';

@Global()
@Module({})
export class LoggingModule {
  static forRoot(log: AppLog): DynamicModule {
    const provider = { provide: AppLog, useValue: log };
    return { module: LoggingModule, providers: [provider], exports: [provider] };
  }
}
