import { Module } from '@nestjs/common';
import { BlockedDestinations } from './blocked-destinations';

@Module({ providers: [BlockedDestinations], exports: [BlockedDestinations] })
export class BlocklistModule {}
