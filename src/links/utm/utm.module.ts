import { Module } from '@nestjs/common';
import { IdempotencyModule } from '../../idempotency/idempotency.module';
import { UtmStoreModule } from './utm-store.module';
import { UtmTemplatesController } from './utm-templates.controller';
import { UtmTemplatesService } from './utm-templates.service';

@Module({
  imports: [IdempotencyModule, UtmStoreModule],
  controllers: [UtmTemplatesController],
  providers: [UtmTemplatesService],
  exports: [UtmTemplatesService],
})
export class UtmModule {}
