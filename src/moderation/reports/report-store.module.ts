import { Module } from '@nestjs/common';
import { storeMetadata } from '../../infrastructure/mongo/stores';
import { ReportRecord, ReportSchema } from './report.schema';
import { ReportsRepository } from './reports.repository';

@Module(storeMetadata([{ name: ReportRecord.name, schema: ReportSchema }], [ReportsRepository]))
export class ReportStoreModule {}
