import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { IdempotencyRepository } from './idempotency.repository';
import { IdempotencyRecord, IdempotencySchema } from './idempotency.schema';
import { IdempotencyService } from './idempotency.service';

@Module({
  imports: [
    MongooseModule.forFeature([{ name: IdempotencyRecord.name, schema: IdempotencySchema }]),
  ],
  providers: [IdempotencyRepository, IdempotencyService],
  exports: [IdempotencyService],
})
export class IdempotencyModule {}
