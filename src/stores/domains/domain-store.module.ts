import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { ChangeBusModule } from '../../infrastructure/change-bus/change-bus.module';
import { RequestedHosts } from './requested-host';
import { DomainRegistry } from './domain-registry';
import { DomainRecord, DomainSchema } from './domain.schema';
import { LinkAddresses } from './link-addresses';
import { DomainsRepository } from './domains.repository';

@Module({
  imports: [
    ChangeBusModule,
    MongooseModule.forFeature([{ name: DomainRecord.name, schema: DomainSchema }]),
  ],
  providers: [RequestedHosts, DomainRegistry, DomainsRepository, LinkAddresses],
  exports: [RequestedHosts, DomainRegistry, DomainsRepository, LinkAddresses],
})
export class DomainStoreModule {}
