import { Module } from '@nestjs/common';
import { APP_FILTER, APP_INTERCEPTOR, APP_PIPE } from '@nestjs/core';
import { BodyFaultInterceptor } from './body-fault.interceptor';
import { ErrorFilter } from './error.filter';
import { ShapePipe } from './validation.pipe';

@Module({
  providers: [
    { provide: APP_FILTER, useClass: ErrorFilter },
    { provide: APP_INTERCEPTOR, useClass: BodyFaultInterceptor },
    { provide: APP_PIPE, useClass: ShapePipe },
  ],
})
export class HttpModule {}
