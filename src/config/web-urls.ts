import { z } from 'zod';
import { parseUrl } from './url';

/** Browsers and URL parsers silently drop line breaks and tabs. */
const UNSAFE_CHARACTER = /[\s\p{C}]/u;

/** Returns null unless the text is an http(s) URL without user and password. */
function parseWebUrl(urlText: string): URL | null {
  const url =
    /^https?:\/\/./i.test(urlText) && !UNSAFE_CHARACTER.test(urlText) ? parseUrl(urlText) : null;
  return url === null || url.username !== '' || url.password !== '' ? null : url;
}

const text = z.string();
const WEB_URL_PROBLEM =
  'must be a URL starting with http:// or https://, without user name and password';

export const webUrl = text.refine((value) => parseWebUrl(value) !== null, {
  error: WEB_URL_PROBLEM,
});

const MAX_REDIRECT_LENGTH = 2048;
export const redirectUrl = webUrl.refine((value) => value.length <= MAX_REDIRECT_LENGTH, {
  error: `must have at most ${MAX_REDIRECT_LENGTH} characters`,
});

/** Prefix of short URLs, which must have no path, query or fragment. */
export const baseUrl = webUrl
  .refine((value) => /^[^/]+:\/\/[^/?#\\]+\/*$/.test(value), {
    error:
      'must have no path, query or fragment: short links are at the root of a host ' +
      '(give Curtail its own host name)',
  })
  .transform((value) =>
    value.replace(/\/+$/, '').replace(/^[^:]+/, (scheme) => scheme.toLowerCase()),
  );

/** OpenID Connect Discovery 1.0: issuers have no query and no fragment. */
export const issuerUrl = webUrl.refine((value) => !/[?#]/.test(value), {
  error: 'must have no query or fragment',
});

export const homeUrl = text.refine(
  (value) =>
    (/^\/(?![/\\])/.test(value) && !UNSAFE_CHARACTER.test(value)) || parseWebUrl(value) !== null,
  { error: 'must be a path starting with / or a URL starting with http:// or https://' },
);

const ORIGIN_SCHEME = /^(?:https?|(?:chrome|moz|safari-web)-extension):\/\//i;

/** Browser extensions have origins that the URL parser reports as `null`. */
export const origins = text.transform((list, context): readonly string[] => {
  const urls = list.split(',').map((part) => parseOriginUrl(part.trim()));
  const found = urls.filter((each) => each !== null);
  if (found.length < urls.length) {
    context.addIssue(
      'must be a comma-separated list of origins: http(s)://…, chrome-extension://…, …; wildcards (*) do not work',
    );
  }
  return Object.freeze(found.map(({ protocol, host }) => `${protocol}//${host.toLowerCase()}`));
});

function parseOriginUrl(text: string): URL | null {
  const url = ORIGIN_SCHEME.test(text) && !UNSAFE_CHARACTER.test(text) ? parseUrl(text) : null;
  return url === null || url.host === '' || url.host.includes('*') ? null : url;
}

const mailOrUri = text.transform((value) =>
  /^[^\s:/@]+@[^\s:/@]+$/.test(value) ? `mailto:${value}` : value,
);

/** Contact in security.txt (RFC 9116). */
export const contact = mailOrUri.refine((value) => isContact(value), {
  error: 'must be an email address or a mailto:, https: or tel: URI',
});

export const abuseContact = mailOrUri.refine(
  (value) => /^mailto:[^\s@]+@[^\s@]+$/i.test(value) || parseWebUrl(value) !== null,
  { error: 'must be an email address or a URL starting with http:// or https://' },
);

function isContact(value: string): boolean {
  if (/^https:/i.test(value)) return parseWebUrl(value) !== null;
  return /^(?:mailto:\S+@\S+|tel:\+?[\d().-]*\d[\d().-]*)$/i.test(value);
}
