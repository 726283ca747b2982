import type { FooterOptions, HttpOptions, SiteOptions } from '../config/options';

export type Presentation = Omit<SiteOptions, 'anonymousLinks'>;
type Site = Presentation & FooterOptions & Pick<HttpOptions, 'baseUrl'>;

let current: Site = {
  baseUrl: 'http://localhost:8000',
  name: 'Curtail',
  homeUrl: '/',
  registration: 'open',
  passwordSignIn: true,
  rootRedirect: null,
  notFoundRedirect: null,
  imprintUrl: null,
  termsUrl: null,
  privacyUrl: null,
  abuseContact: null,
};

/**
 * Set once at startup, because error pages and emails are plain functions without injected
 * services.
 */
export function presentAs(
  presentation: Presentation,
  footer: FooterOptions,
  { baseUrl }: Pick<HttpOptions, 'baseUrl'>,
): void {
  current = { ...presentation, ...footer, baseUrl };
}

export function site(): Site {
  return current;
}

/** Path of the home page's form, which is not at `/` if ROOT_REDIRECT is set. */
export function formPath(): '/' | '/?form' {
  return current.rootRedirect === null ? '/' : '/?form';
}
