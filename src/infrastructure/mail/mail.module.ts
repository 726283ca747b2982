import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { RateLimitStoreModule } from '../rate-limit-store/rate-limit-store.module';
import {
  MailFailureRecord,
  MailFailureSchema,
  MailFailuresRepository,
} from './mail-failures.repository';
import { MailHealthIndicator } from './mail-health.indicator';
import { MailSender } from './mail-sender';
import { Outbox } from './outbox';

@Module({
  imports: [
    MongooseModule.forFeature([{ name: MailFailureRecord.name, schema: MailFailureSchema }]),
    RateLimitStoreModule,
  ],
  providers: [MailFailuresRepository, MailHealthIndicator, MailSender, Outbox],
  exports: [MailFailuresRepository, MailHealthIndicator, MailSender, Outbox],
})
export class MailModule {}
