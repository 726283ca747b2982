import { Module, type OnModuleInit } from '@nestjs/common';
import { BlockedDestinations } from './blocked-destinations';

@Module({ providers: [BlockedDestinations], exports: [BlockedDestinations] })
export class BlocklistModule implements OnModuleInit {
  constructor(private readonly lists: BlockedDestinations) {}

  onModuleInit(): Promise<void> {
    return this.lists.start();
  }
}
