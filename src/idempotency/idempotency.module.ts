import { Module } from '@nestjs/common';
import { storeMetadata } from '../infrastructure/mongo/stores';
import { IdempotencyRepository } from './idempotency.repository';
import { IdempotencyRecord, IdempotencySchema } from './idempotency.schema';
import { IdempotencyService } from './idempotency.service';

@Module(
  storeMetadata(
    [{ name: IdempotencyRecord.name, schema: IdempotencySchema }],
    [IdempotencyRepository, IdempotencyService],
  ),
)
export class IdempotencyModule {}
