import type { Place } from '../router';

const PARAMETERS = ['url', 'title', 'text'] as const;
const URL_IN_TEXT = /https?:\/\/\S+/i;

/**
 * The page that the bookmarklet or the system's share dialog hands to the list of links, as fields
 * of a new one (docs/contract.md#33.3); null when there is none.
 */
export function sharedPage({ path, search }: Place): { long_url: string; title: string } | null {
  if (path !== '/links' || !PARAMETERS.some((name) => search.has(name))) return null;
  const [url, title, text] = PARAMETERS.map((name) => search.get(name)?.trim() ?? '');
  return { long_url: url || (URL_IN_TEXT.exec(text ?? '')?.[0] ?? text ?? ''), title: title ?? '' };
}

/** Changes of the address by which the drawer is open and the page is taken over. */
export const TAKEN_OVER = { new: '1', url: null, title: null, text: null } as const;
