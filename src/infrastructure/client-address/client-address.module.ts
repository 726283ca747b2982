import { Module } from '@nestjs/common';
import { ClientAddress } from './client-address';

@Module({ providers: [ClientAddress], exports: [ClientAddress] })
export class AddressModule {}
