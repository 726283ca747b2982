import { Module } from '@nestjs/common';
import { storeMetadata } from '../infrastructure/mongo/stores';
import { AuditEntryRecord, AuditEntrySchema } from './audit-entry.schema';
import { AuditTrailRepository } from './audit-trail.repository';
import { AuditTrailService } from './audit-trail.service';

@Module(
  storeMetadata(
    [{ name: AuditEntryRecord.name, schema: AuditEntrySchema }],
    [AuditTrailRepository, AuditTrailService],
  ),
)
export class AuditTrailModule {}
