import type { SiteOptions } from '../config/options';

type Site = Pick<SiteOptions, 'name' | 'homeUrl'>;

let current: Site = { name: 'Curtail', homeUrl: '/' };

/**
 * Says once, at the start, how this installation presents itself (SITE_NAME, HOME_URL): pages of
 * errors and mails are made by plain functions, where nothing is injected.
 */
export function presentAs({ name, homeUrl }: Site): void {
  current = { name, homeUrl };
}

/** Name and home of this installation, for pages and mails. */
export function site(): Site {
  return current;
}
