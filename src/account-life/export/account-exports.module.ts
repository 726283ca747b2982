import { Module } from '@nestjs/common';
import { AccountsModule } from '../../accounts/accounts.module';
import { ApiKeyStoreModule } from '../../api-keys/api-key-store.module';
import { DomainsModule } from '../../domains/domains.module';
import { ImportsModule } from '../../imports/imports.module';
import { JobStarterModule } from '../../infrastructure/jobs/jobs.module';
import { TagsModule } from '../../links/tags/tags.module';
import { UtmModule } from '../../links/utm/utm.module';
import { ReportStoreModule } from '../../moderation/reports/report-store.module';
import { AccountFileStoreModule } from '../../qr/logo/account-file-store.module';
import { DomainStoreModule } from '../../stores/domains/domain-store.module';
import { LinkStoreModule } from '../../stores/links/link-store.module';
import { AccountDataService } from './account-data.service';
import { AccountExportsController } from './account-exports.controller';
import { AccountExportsService } from './account-exports.service';
import { ExportFilesModule } from './export-files.module';
import { ExportSweep } from './export-sweep';

@Module({
  imports: [
    AccountFileStoreModule,
    AccountsModule,
    ApiKeyStoreModule,
    DomainsModule,
    DomainStoreModule,
    ExportFilesModule,
    ImportsModule,
    JobStarterModule,
    LinkStoreModule,
    ReportStoreModule,
    TagsModule,
    UtmModule,
  ],
  controllers: [AccountExportsController],
  providers: [AccountDataService, AccountExportsService, ExportSweep],
})
export class AccountExportsModule {}
