import { createHmac } from 'node:crypto';
import { Injectable, Module } from '@nestjs/common';
import { CountryLookup, CountryLookupModule } from '../infrastructure/geoip/country-lookup';
import { Decision, type Choice, type Visitor } from './decision';
import { type Destinations, hasDestinations, WHOLE_WEIGHT } from './destinations';
import { VariantKeyRepository } from './variant-key.repository';

/** A link as far as its destinations go. */
export interface ChoosingLink {
  readonly id: string;
  readonly location: string;
  readonly destinations: Destinations;
  /** Made at the first visit; absent before, and for links with one destination. */
  decision?: Decision;
}

/** A visitor of a link, before anything is looked up. */
export interface Visiting extends Omit<Visitor, 'country' | 'share'> {
  readonly address: string;
  /** Known already; looked up by the address where absent. */
  readonly country?: string | null;
}

/**
 * Chooses where a visit of a link with rules, countries or variants leads (docs/contract.md#26.3,
 * docs/contract.md#26.4): the redirect, HEAD and whoever asks ahead all get the same answer here.
 * Country database and key are opened by the first link that needs them.
 */
@Injectable()
export class DestinationChooser {
  private key: Buffer | null = null;
  private reading: Promise<void> | null = null;

  constructor(
    private readonly countries: CountryLookup,
    private readonly keys: VariantKeyRepository,
  ) {}

  /** Null where everything is there to choose for the link; else resolves when it is. */
  preparation({ abVariants }: Pick<Destinations, 'abVariants'>): Promise<void> | null {
    if (this.key !== null || abVariants.length === 0) return null;
    this.reading ??= this.readKey().finally(() => (this.reading = null));
    return this.reading;
  }

  /** Never waits: `preparation` has to be over. */
  choose(link: ChoosingLink, visiting: Visiting): Choice {
    if (!hasDestinations(link.destinations))
      return { by: 'default', key: null, location: link.location };
    link.decision ??= new Decision(link.destinations, link.location);
    const { address, country, ...visitor } = visiting;
    return link.decision.choose({
      ...visitor,
      country: () => (country === undefined ? this.countries.findCountryCode(address) : country),
      share: () => this.visitorShare(address, visitor.userAgent, link.id),
    });
  }

  /** The first 32 bits of a keyed hash, as one of a hundred equal parts. */
  private visitorShare(address: string, userAgent: string, linkId: string): number {
    if (this.key === null) throw new Error('The key of the variants has not been read');
    const hash = createHmac('sha256', this.key).update(`${address}\0${userAgent}\0${linkId}`);
    return Math.floor((hash.digest().readUInt32BE(0) / 2 ** 32) * WHOLE_WEIGHT);
  }

  private async readKey(): Promise<void> {
    this.key = await this.keys.findOrMake();
  }
}

@Module({
  imports: [CountryLookupModule],
  providers: [DestinationChooser, VariantKeyRepository],
  exports: [DestinationChooser],
})
export class DestinationsModule {}
