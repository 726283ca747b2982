import { Module } from '@nestjs/common';
import { LinkCacheModule } from '../links/cache/link-cache.module';
import { JournalModule } from '../clicks/journal/journal.module';
import { DomainStoreModule } from '../stores/domains/domain-store.module';
import { ClickQuota } from './click-quota';
import { DomainSites } from './domain-sites';
import { RedirectHandler } from './redirect.handler';
import { RedirectService } from './redirect.service';
import { ShortCodeRoutes } from './short-code-routes';
import { VisitDestination } from './visit-destination';
import { DestinationChooser } from '../destinations/destination-chooser';
import { VariantKeyRepository } from '../destinations/variant-key.repository';
import { CountryLookupModule } from '../infrastructure/geoip/country-lookup.module';

@Module({
  imports: [CountryLookupModule, DomainStoreModule, JournalModule, LinkCacheModule],
  providers: [
    ClickQuota,
    DestinationChooser,
    DomainSites,
    RedirectHandler,
    RedirectService,
    ShortCodeRoutes,
    VariantKeyRepository,
    VisitDestination,
  ],
  exports: [DomainSites, RedirectHandler, RedirectService, VisitDestination],
})
export class RedirectModule {}
