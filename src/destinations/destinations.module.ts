import { Module } from '@nestjs/common';
import { CountryLookupModule } from '../infrastructure/geoip/country-lookup.module';
import { VariantKeyRepository } from './variant-key.repository';
import { DestinationChooser } from './destination-chooser';

@Module({
  imports: [CountryLookupModule],
  providers: [DestinationChooser, VariantKeyRepository],
  exports: [DestinationChooser],
})
export class DestinationsModule {}
