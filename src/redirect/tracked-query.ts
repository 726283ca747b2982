/**
 * What of a visited query goes into the journal: the utm_ pairs alone, so that a link password in
 * `?password=` is never written down.
 */
export function trackedQuery(query: string): string {
  if (!query.includes('utm_')) return '';
  return query
    .split('&')
    .filter((pair) => pair.startsWith('utm_'))
    .join('&');
}
