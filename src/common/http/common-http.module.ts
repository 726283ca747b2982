import { Module } from '@nestjs/common';
import { APP_FILTER, APP_INTERCEPTOR, APP_PIPE } from '@nestjs/core';
import { BodyFaultInterceptor } from './body-parsers';
import { AppExceptionFilter } from './exception.filter';
import { RequestValidationPipe } from './validation.pipe';

/** What every request goes through: validation, put-off faults of bodies, the exception filter. */
@Module({
  providers: [
    { provide: APP_FILTER, useClass: AppExceptionFilter },
    { provide: APP_INTERCEPTOR, useClass: BodyFaultInterceptor },
    { provide: APP_PIPE, useClass: RequestValidationPipe },
  ],
})
export class CommonHttpModule {}
