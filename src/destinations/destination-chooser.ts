import { createHmac } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { CountryLookup } from '../infrastructure/geoip/country-lookup';
import { Decision, type Choice, type Visitor } from './decision';
import { type Destinations, hasDestinations, WHOLE_WEIGHT } from './destinations';
import { VariantKeyRepository } from './variant-key.repository';

export interface ChoosingLink {
  readonly id: string;
  readonly location: string;
  readonly destinations: Destinations;
  /** Created at the first visit; absent for links with one destination. */
  decision?: Decision;
}

export interface Visiting extends Omit<Visitor, 'country' | 'share'> {
  readonly address: string;
  /** The visitor's country; looked up by address if absent. */
  readonly country?: string | null;
}

/** Opens the country database and reads the key only when a link needs them. */
@Injectable()
export class DestinationChooser {
  private key: Buffer | null = null;
  private reading: Promise<void> | null = null;

  constructor(
    private readonly countries: CountryLookup,
    private readonly keys: VariantKeyRepository,
  ) {}

  /** Returns null if `choose` can run now, otherwise a promise to await before `choose`. */
  preparation({ abVariants }: Pick<Destinations, 'abVariants'>): Promise<void> | null {
    if (this.key !== null || abVariants.length === 0) return null;
    this.reading ??= this.readKey().finally(() => (this.reading = null));
    return this.reading;
  }

  /** Synchronous. Call after `preparation` has completed. */
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

  /** Maps the first 32 bits of a keyed hash to a number from 0 to 99. */
  private visitorShare(address: string, userAgent: string, linkId: string): number {
    if (this.key === null) throw new Error('The key of the variants has not been read');
    const hash = createHmac('sha256', this.key).update(`${address}\0${userAgent}\0${linkId}`);
    return Math.floor((hash.digest().readUInt32BE(0) / 2 ** 32) * WHOLE_WEIGHT);
  }

  private async readKey(): Promise<void> {
    this.key = await this.keys.findOrMake();
  }
}
