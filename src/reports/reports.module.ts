import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { DomainStoreModule } from '../domain-store/domain-store.module';
import { LinkCacheModule } from '../links/link-cache.module';
import { ReportPagesController, ReportPagesService } from './report-pages.controller';
import { ReportRecord, ReportSchema } from './report.schema';
import { ReportedAddresses } from './reported-addresses';
import { ReportsController } from './reports.controller';
import { ReportsRepository } from './reports.repository';
import { ReportsService } from './reports.service';

/** Reports of links that do harm (docs/contract.md#24.5). */
@Module({
  imports: [
    DomainStoreModule,
    LinkCacheModule,
    MongooseModule.forFeature([{ name: ReportRecord.name, schema: ReportSchema }]),
  ],
  controllers: [ReportsController, ReportPagesController],
  providers: [ReportPagesService, ReportedAddresses, ReportsRepository, ReportsService],
})
export class ReportsModule {}
