import { Injectable, Module, OnModuleDestroy } from '@nestjs/common';
import { AppLog } from '../../common/log';
import { GeoOptions } from '../../config/options';
import { GeoReader } from './geo.reader';

/**
 * The country of an address, for sign-ins. The database is opened by the first one: most web
 * processes have none for hours. A look-up reads a few pages of a file, which is little beside the
 * password that is hashed for a sign-in; redirects leave it to the recorder.
 */
@Injectable()
export class CountryLookup implements OnModuleDestroy {
  /** Undefined before the first look-up, null when the database cannot be opened. */
  private reader?: GeoReader | null;

  constructor(
    private readonly options: GeoOptions,
    private readonly log: AppLog,
  ) {}

  /** English name; null for private, unknown and malformed addresses. Never throws. */
  countryOf(address: string): string | null {
    if (this.reader === undefined) this.reader = this.open();
    return this.reader?.locate(address).country ?? null;
  }

  onModuleDestroy(): void {
    this.reader?.close();
    this.reader = null;
  }

  private open(): GeoReader | null {
    try {
      return GeoReader.open(this.options.dbPath ?? undefined);
    } catch (error) {
      this.log.warn('Sessions are kept without a country', { err: error });
      return null;
    }
  }
}

@Module({ providers: [CountryLookup], exports: [CountryLookup] })
export class CountryLookupModule {}
