import { Injectable } from '@nestjs/common';
import { CountryLookup } from '../../infrastructure/geoip/country-lookup';
import { parseUserAgent } from '../../infrastructure/user-agent/user-agent';
import type { SessionBrowser, SignInOrigin } from './session';

@Injectable()
export class SessionBrowsers {
  constructor(private readonly countries: CountryLookup) {}

  toSessionBrowser({ client, userAgent }: SignInOrigin): SessionBrowser {
    const { browser, os } = parseUserAgent(userAgent);
    return { browser, os, country: this.countries.findCountry(client.address) };
  }
}
