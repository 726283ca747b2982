import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { IdempotencyModule } from '../../idempotency/idempotency.module';
import { UtmTemplateRecord, UtmTemplateSchema } from './utm-template.schema';
import { UtmTemplatesController } from './utm-templates.controller';
import { UtmTemplatesRepository } from './utm-templates.repository';
import { UtmTemplatesService } from './utm-templates.service';

@Module({
  imports: [
    IdempotencyModule,
    MongooseModule.forFeature([{ name: UtmTemplateRecord.name, schema: UtmTemplateSchema }]),
  ],
  controllers: [UtmTemplatesController],
  providers: [UtmTemplatesRepository, UtmTemplatesService],
  exports: [UtmTemplatesService],
})
export class UtmModule {}
