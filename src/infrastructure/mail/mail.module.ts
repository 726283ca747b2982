import { Module } from '@nestjs/common';
import { RateLimitStoreModule } from '../rate-limit-store/rate-limit-store.module';
import { MailHealthIndicator } from './mail-health.indicator';
import { MailSender } from './mail-sender';
import { Outbox } from './outbox';

@Module({
  imports: [RateLimitStoreModule],
  providers: [MailHealthIndicator, MailSender, Outbox],
  exports: [MailHealthIndicator, MailSender],
})
export class MailModule {}
