import type { Place } from '../router';

const PARAMETERS = ['url', 'title', 'text'] as const;
const URL_IN_TEXT = /https?:\/\/\S+/i;

/**
 * Returns the fields of a new link from the bookmarklet or the share dialog
 * (docs/contract.md#33.3); null if the address has none.
 */
export function sharedPage({ path, search }: Place): { long_url: string; title: string } | null {
  if (path !== '/links' || !PARAMETERS.some((name) => search.has(name))) return null;
  const [url, title, text] = PARAMETERS.map((name) => search.get(name)?.trim() ?? '');
  return { long_url: url || (URL_IN_TEXT.exec(text ?? '')?.[0] ?? text ?? ''), title: title ?? '' };
}

/** Query changes that open the drawer and remove the shared page's fields. */
export const TAKEN_OVER = { new: '1', url: null, title: null, text: null } as const;
