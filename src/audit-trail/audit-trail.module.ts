import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { AuditEntryRecord, AuditEntrySchema } from './audit-entry.schema';
import { AuditTrailRepository } from './audit-trail.repository';
import { AuditTrailService } from './audit-trail.service';

@Module({
  imports: [MongooseModule.forFeature([{ name: AuditEntryRecord.name, schema: AuditEntrySchema }])],
  providers: [AuditTrailRepository, AuditTrailService],
  exports: [AuditTrailRepository, AuditTrailService],
})
export class AuditTrailModule {}
