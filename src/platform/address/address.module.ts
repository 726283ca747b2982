import { Global, Module } from '@nestjs/common';
import { ClientAddress } from './client-address';

@Global()
@Module({ providers: [ClientAddress], exports: [ClientAddress] })
export class AddressModule {}
