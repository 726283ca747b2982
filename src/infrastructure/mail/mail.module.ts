import { Module } from '@nestjs/common';
import { MailHealthIndicator } from './mail-health.indicator';
import { MailSender } from './mail-sender';
import { Outbox } from './outbox';

@Module({
  providers: [MailHealthIndicator, MailSender, Outbox],
  exports: [MailHealthIndicator, MailSender],
})
export class MailModule {}
