import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module';
import { DomainStoreModule } from '../stores/domains/domain-store.module';
import { IdempotencyModule } from '../idempotency/idempotency.module';
import { MailModule } from '../infrastructure/mail/mail.module';
import { LinksModule } from '../links/links.module';
import { DnsChecks } from './dns-questions';
import { DomainCheckService, DomainRechecks } from './domain-check.service';
import { AuditTrailModule } from '../audit-trail/audit-trail.module';
import { DomainMailsService, DomainSharingService } from './domain-mails.service';
import { DomainsController } from './domains.controller';
import { DomainsService, RedirectTargets } from './domains.service';

@Module({
  imports: [
    AccountsModule,
    AuditTrailModule,
    DomainStoreModule,
    IdempotencyModule,
    LinksModule,
    MailModule,
  ],
  controllers: [DomainsController],
  providers: [
    DnsChecks,
    DomainCheckService,
    DomainMailsService,
    DomainRechecks,
    DomainSharingService,
    DomainsService,
    RedirectTargets,
  ],
  exports: [DomainSharingService, DomainsService],
})
export class DomainsModule {}
