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
  if (domains.length === 0) {
    return Array.from(words, (word) => ({
      part: word.toLowerCase(),
      alias: parseAlias(word, base)?.toLowerCase() ?? null,
    }));
  }
  const places = [
    { id: null, base },
    ...domains.map(({ id, fqdn }) => {
      const at = new URL(base);
      at.hostname = fqdn;
      return { id, base: at };
    }),
  ];
  return Array.from(words, (word) => {
    const part = word.toLowerCase();
    const found = places
      .map((place) => ({ id: place.id, alias: parseAlias(word, place.base) }))
      .find(({ alias }) => alias !== null);
    return {
      part,
      alias: found?.alias?.toLowerCase() ?? null,
      aliasOn: found?.id ?? null,
      domains: domains.filter(({ fqdn }) => fqdn.includes(part)).map(({ id }) => id),
    };
  });
}

const AROUND = /^[<("'[{]+|[>)"'\]},.;:!]+$/g;

/** Returns the alias if the word is a short URL, with or without a scheme; otherwise null. */
function parseAlias(word: string, base: URL): string | null {
  const address = word.replace(AROUND, '').replace(/^(?:https?:)?\/\//i, '');
  const url = parseUrl(`${base.protocol}//${address}`);
  if (url === null || hostWithoutWww(url) !== hostWithoutWww(base)) return null;
  if (url.port !== '' && url.port !== base.port) return null;
  const [, code = ''] = url.pathname.split('/');
  const alias = decodeCode(code).replaceAll('\ufe0f', '').replace(/\+$/, '');
  return alias === '' || /\s/.test(alias) ? null : alias;
}

function hostWithoutWww({ hostname }: URL): string {
  return hostname.replace(/^www\./, '').replace(/\.$/, '');
}
