import { Injectable, OnModuleDestroy } from '@nestjs/common';
import { AppLog } from '../../common/log';
import { GeoOptions } from '../../config/options';
import { GeoReader, type Place } from './geo.reader';

/** Opens the database on first use, because most web processes rarely need it. */
@Injectable()
export class CountryLookup implements OnModuleDestroy {
  /** Undefined before the first lookup; null if the database cannot be opened. */
  private reader?: GeoReader | null;

  constructor(
    private readonly options: GeoOptions,
    private readonly log: AppLog,
  ) {}

  /** Returns the English name; null for private, unknown and malformed addresses. Never throws. */
  findCountry(address: string): string | null {
    return this.locate(address)?.country ?? null;
  }

  /** Returns the ISO 3166-1 alpha-2 code; null for addresses without a country. Never throws. */
  findCountryCode(address: string): string | null {
    return this.locate(address)?.countryCode ?? null;
  }

  onModuleDestroy(): void {
    this.reader?.close();
    this.reader = null;
  }

  private locate(address: string): Place | undefined {
    if (this.reader === undefined) this.reader = this.open();
    return this.reader?.locate(address);
  }

  private open(): GeoReader | null {
    try {
      return GeoReader.open(this.options.dbPath ?? undefined);
    } catch (error) {
      this.log.warn(
        'Could not read the city database; sign-in and visit countries will be unknown',
        {
          err: error,
        },
      );
      return null;
    }
  }
}
