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

/**
 * Says once, at the start, how this installation presents itself (docs/contract.md#16.1): pages of
 * errors and mails are made by plain functions, where nothing is injected.
 */
export function presentAs(
  { name, homeUrl, registration }: Presentation,
  footer: FooterOptions,
  { baseUrl }: Pick<HttpOptions, 'baseUrl'>,
): void {
  current = { baseUrl, name, homeUrl, registration, ...footer };
}

/** Name, home and footer of this installation, for pages and mails. */
export function site(): Site {
  return current;
}
