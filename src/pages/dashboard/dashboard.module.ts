import { Module } from '@nestjs/common';
import { AccountsModule } from '../../accounts/accounts.module';
import { LinksModule } from '../../links/links.module';
import { ClaimFormController } from './claim-form.controller';
import { DashboardController } from './dashboard.controller';
import { ManifestController } from './manifest.controller';
import { DashboardService } from './dashboard.service';

@Module({
  imports: [AccountsModule, LinksModule],
  controllers: [ClaimFormController, DashboardController, ManifestController],
  providers: [DashboardService],
})
export class DashboardModule {}
