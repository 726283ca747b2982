import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module';
import { AuditTrailModule } from '../audit-trail/audit-trail.module';
import { AuditTrailController } from './audit-trail.controller';
import { AuditTrailReadingService } from './audit-trail-reading.service';

/** Views and acts of admins, behind a door that nobody else sees (docs/contract.md#24). */
@Module({
  imports: [AccountsModule, AuditTrailModule],
  controllers: [AuditTrailController],
  providers: [AuditTrailReadingService],
})
export class AdministrationModule {}
