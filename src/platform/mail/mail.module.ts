import { Global, Module } from '@nestjs/common';
import { MailProbe } from './mail-probe';
import { MailSender } from './mail-sender';
import { Outbox } from './outbox';

@Global()
@Module({ providers: [MailProbe, MailSender, Outbox], exports: [MailProbe, MailSender] })
export class MailModule {}
