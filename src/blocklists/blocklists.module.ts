import { Module, type OnModuleInit } from '@nestjs/common';
import { BlockedHostStoreModule } from '../stores/blocked-hosts/blocked-host-store.module';
import { BlockedDestinations } from './blocked-destinations';
import { StoredHosts } from './hosts/stored-hosts';

@Module({
  imports: [BlockedHostStoreModule],
  providers: [BlockedDestinations, StoredHosts],
  exports: [BlockedDestinations, BlockedHostStoreModule, StoredHosts],
})
export class BlocklistModule implements OnModuleInit {
  constructor(private readonly lists: BlockedDestinations) {}

  onModuleInit(): Promise<void> {
    return this.lists.start();
  }
}
