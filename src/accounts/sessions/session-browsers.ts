import { Injectable } from '@nestjs/common';
import { CountryLookup } from '../../infrastructure/geoip/country-lookup';
import { parseUserAgent } from '../../infrastructure/user-agent/user-agent';
import type { SessionBrowser, SignInOrigin } from './session';

/** What is kept of the browser and the address of a session. */
@Injectable()
export class SessionBrowsers {
  constructor(private readonly countries: CountryLookup) {}

  of({ client, userAgent }: SignInOrigin): SessionBrowser {
    const { browser, os } = parseUserAgent(userAgent);
    return { browser, os, country: this.countries.countryOf(client.address) };
  }
}
