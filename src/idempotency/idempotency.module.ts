import { Module } from '@nestjs/common';

/** For the modules of routes that are `@Retryable()`. */
@Module({})
export class IdempotencyModule {}
