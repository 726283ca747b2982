import { Module } from '@nestjs/common';
import { storeMetadata } from '../mongo/stores';
import {
  MailFailureRecord,
  MailFailureSchema,
  MailFailuresRepository,
} from './mail-failures.repository';
import { MailHealthIndicator } from './mail-health.indicator';
import { MailSender, Outbox } from './mail-sender';

@Module(
  storeMetadata(
    [{ name: MailFailureRecord.name, schema: MailFailureSchema }],
    [MailFailuresRepository, MailHealthIndicator, MailSender, Outbox],
  ),
)
export class MailModule {}
