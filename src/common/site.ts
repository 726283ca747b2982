import type { SiteOptions } from '../config/options';

type Site = Pick<SiteOptions, 'name' | 'homeUrl' | 'registration'>;

let current: Site = { name: 'Curtail', homeUrl: '/', registration: 'open' };

/**
 * Says once, at the start, how this installation presents itself (SITE_NAME, HOME_URL,
 * REGISTRATION): pages of errors and mails are made by plain functions, where nothing is injected.
 */
export function presentAs({ name, homeUrl, registration }: Site): void {
  current = { name, homeUrl, registration };
}

/** Name and home of this installation, for pages and mails. */
export function site(): Site {
  return current;
}
