import { parseUrl } from '../../config/url';
import { composed } from '../../common/plain-text';
import type { SearchWord } from '../link-index/link-list';

/** Each word is one search through all texts. */
export const MAX_WORDS = 20;

/** The words of a search, each once. */
export function searchWords(search: string, baseUrl: string): SearchWord[] {
  const words = new Set(
    composed(search)
      .split(/\s+/)
      .filter((word) => word !== ''),
  );
  const base = new URL(baseUrl);
  return Array.from(words, (word) => ({
    part: word.toLowerCase(),
    alias: aliasOf(word, base)?.toLowerCase() ?? null,
  }));
}

/** Marks that texts put around an address. */
const AROUND = /^[<("'[{]+|[>)"'\]},.;:!]+$/g;

/** The alias of a short URL, however it was copied; null where the word is none. */
function aliasOf(word: string, base: URL): string | null {
  const address = word.replace(AROUND, '').replace(/^(?:https?:)?\/\//i, '');
  const url = parseUrl(`${base.protocol}//${address}`);
  if (url === null || hostOf(url) !== hostOf(base)) return null;
  if (url.port !== '' && url.port !== base.port) return null;
  const [, code = ''] = url.pathname.split('/');
  const alias = decoded(code).replaceAll('\ufe0f', '').replace(/\+$/, '');
  return alias === '' || /\s/.test(alias) ? null : alias;
}

function hostOf({ hostname }: URL): string {
  return hostname.replace(/^www\./, '').replace(/\.$/, '');
}

function decoded(code: string): string {
  try {
    return decodeURIComponent(code);
  } catch {
    return code;
  }
}
