import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { AccountsModule } from '../../accounts/accounts.module';
import { BackgroundModule } from '../../common/background-tasks.module';
import { DomainStoreModule } from '../../stores/domains/domain-store.module';
import { MailModule } from '../../infrastructure/mail/mail.module';
import { LinkCacheModule } from '../../links/cache/link-cache.module';
import { ReportNoticesService } from './report-notices.service';
import { ReportPagesController, ReportPagesService } from './report-pages.controller';
import { ReportRecord, ReportSchema } from './report.schema';
import { ReportedAddresses } from './reported-addresses';
import { ReportsController } from './reports.controller';
import { ReportsRepository } from './reports.repository';
import { ReportsService } from './reports.service';

@Module({
  imports: [
    AccountsModule,
    BackgroundModule,
    DomainStoreModule,
    LinkCacheModule,
    MailModule,
    MongooseModule.forFeature([{ name: ReportRecord.name, schema: ReportSchema }]),
  ],
  controllers: [ReportsController, ReportPagesController],
  providers: [
    ReportNoticesService,
    ReportPagesService,
    ReportedAddresses,
    ReportsRepository,
    ReportsService,
  ],
  exports: [ReportsRepository],
})
export class ReportsModule {}
