import { Module } from '@nestjs/common';
import { BlockedDestinations } from './blocked-destinations';

/** The operator's lists, once a process. */
@Module({ providers: [BlockedDestinations], exports: [BlockedDestinations] })
export class BlocklistModule {}
