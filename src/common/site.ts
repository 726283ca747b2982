import type { FooterOptions, SiteOptions } from '../config/options';

type Presentation = Pick<SiteOptions, 'name' | 'homeUrl' | 'registration'>;
type Site = Presentation & FooterOptions;

let current: Site = {
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
): void {
  current = { name, homeUrl, registration, ...footer };
}

/** Name, home and footer of this installation, for pages and mails. */
export function site(): Site {
  return current;
}
