import { Module } from '@nestjs/common';
import { AccountsModule } from '../../accounts/accounts.module';
import { DomainStoreModule } from '../../stores/domains/domain-store.module';
import { MailModule } from '../../infrastructure/mail/mail.module';
import { LinkCacheModule } from '../../links/cache/link-cache.module';
import { ReportPagesController, ReportPagesService } from './report-pages.controller';
import { ReportsController } from './reports.controller';
import { ReportStoreModule } from './report-store.module';
import { ReportedAddresses, ReportNoticesService, ReportsService } from './reports.service';

@Module({
  imports: [AccountsModule, DomainStoreModule, LinkCacheModule, MailModule, ReportStoreModule],
  controllers: [ReportsController, ReportPagesController],
  providers: [ReportNoticesService, ReportPagesService, ReportedAddresses, ReportsService],
  exports: [ReportStoreModule],
})
export class ReportsModule {}
