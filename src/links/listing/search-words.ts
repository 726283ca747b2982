import { parseUrl } from '../../config/url';
import { composed } from '../../common/plain-text';
import type { KnownDomain } from '../../stores/domains/domain';
import type { SearchWord } from '../link-index/link-list';
import { decodeCode } from '../../stores/links/alias-form';

export interface FilterPlaces {
  readonly baseUrl: string;
  readonly domains: readonly Pick<KnownDomain, 'fqdn' | 'id'>[];
}

/** Limited because each word requires a search through all texts. */
export const MAX_WORDS = 20;

export function searchWords(search: string, { baseUrl, domains }: FilterPlaces): SearchWord[] {
  const words = new Set(
    composed(search)
      .split(/\s+/)
      .filter((word) => word !== ''),
  );
  const base = new URL(baseUrl);
  const places = new Map<string, string | null>();
  for (const { id, fqdn } of domains.toReversed()) places.set(withoutWww(fqdn), id);
  places.set(withoutWww(base.hostname), null);
  return Array.from(words, (word) => {
    const part = word.toLowerCase();
    const found = parseShortUrl(word, base);
    const place = found === null ? undefined : places.get(found.host);
    const alias = place === undefined ? null : (found?.alias.toLowerCase() ?? null);
    if (domains.length === 0) return { part, alias };
    return {
      part,
      alias,
      aliasOn: place ?? null,
      domains: domains.filter(({ fqdn }) => fqdn.includes(part)).map(({ id }) => id),
    };
  });
}

const AROUND = /^[<("'[{]+|[>)"'\]},.;:!]+$/g;

/** Null unless the word can be a short URL, with or without a scheme. */
function parseShortUrl(word: string, base: URL): { host: string; alias: string } | null {
  const address = word.replace(AROUND, '').replace(/^(?:https?:)?\/\//i, '');
  const url = parseUrl(`${base.protocol}//${address}`);
  if (url === null || (url.port !== '' && url.port !== base.port)) return null;
  const [, code = ''] = url.pathname.split('/');
  const alias = decodeCode(code).replaceAll('\ufe0f', '').replace(/\+$/, '');
  return alias === '' || /\s/.test(alias) ? null : { host: withoutWww(url.hostname), alias };
}

const withoutWww = (host: string): string => host.replace(/^www\./, '').replace(/\.$/, '');
