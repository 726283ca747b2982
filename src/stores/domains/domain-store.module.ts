import { Module } from '@nestjs/common';
import { storeMetadata } from '../../infrastructure/mongo/stores';
import { DomainRegistry, RequestedHosts } from './domain-registry';
import { DomainRecord, DomainSchema } from './domain.schema';
import { LinkAddresses } from './link-addresses';
import { DomainsRepository } from './domains.repository';

@Module(
  storeMetadata(
    [{ name: DomainRecord.name, schema: DomainSchema }],
    [RequestedHosts, DomainRegistry, DomainsRepository, LinkAddresses],
  ),
)
export class DomainStoreModule {}
