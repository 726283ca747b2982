import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module';
import { DashboardController } from './dashboard.controller';
import { DashboardService } from './dashboard.service';

/** Serves the browser app, which is a client of the public API like any other. */
@Module({
  imports: [AccountsModule],
  controllers: [DashboardController],
  providers: [DashboardService],
})
export class DashboardModule {}
