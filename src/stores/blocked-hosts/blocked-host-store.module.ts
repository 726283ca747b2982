import { Module } from '@nestjs/common';
import { storeMetadata } from '../../infrastructure/mongo/stores';
import { BlockedHostRecord, BlockedHostSchema } from './blocked-host.schema';
import { BlockedHostsRepository } from './blocked-hosts.repository';

@Module(
  storeMetadata(
    [{ name: BlockedHostRecord.name, schema: BlockedHostSchema }],
    [BlockedHostsRepository],
  ),
)
export class BlockedHostStoreModule {}
