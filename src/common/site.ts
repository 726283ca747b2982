import type { FooterOptions, HttpOptions, SiteOptions } from '../config/options';

type Presentation = Pick<SiteOptions, 'name' | 'homeUrl' | 'registration'>;
type Site = Presentation & FooterOptions & Pick<HttpOptions, 'baseUrl'>;

let current: Site = {
  baseUrl: 'http://localhost:8000',
  name: 'Curtail',
  homeUrl: '/',
  registration: 'open',
  imprintUrl: null,
  termsUrl: null,
  privacyUrl: null,
  abuseContact: null,
};

/** Set once at startup, because error pages and emails are functions without injection. */
export function presentAs(
  { name, homeUrl, registration }: Presentation,
  footer: FooterOptions,
  { baseUrl }: Pick<HttpOptions, 'baseUrl'>,
): void {
  current = { baseUrl, name, homeUrl, registration, ...footer };
}

export function site(): Site {
  return current;
}
