const CAMPAIGN_PARAMETERS = ['utm_source=', 'utm_medium=', 'utm_campaign='];
/** Remaining characters of an ampersand that a mail program has escaped twice. */
const ESCAPED_AMPERSAND = /^(?:(?:amp|#0*38|#x0*26)(?:;|%3b))+(?=utm_)/i;
/** Values up to this length fit without being decoded. */
const PLAIN_LENGTH = 100;
/** Maximum length of a utm_ value in characters (docs/contract.md#8.4). */
const MAX_UTM_CHARACTERS = 100;
const QUERY_OF_URL = /^[^?#]*\?([^#]*)/;

/**
 * Returns each campaign parameter's first pair, truncated as in storage. Prefers pairs that do not
 * follow `&amp;`. Omits all other parameters, because a query may contain a link password.
 */
export function clickCampaign(query: string): string {
  if (!query.includes('utm_')) return '';
  const found: string[] = [];
  const plain = query.split('&');
  const escaped = plain.filter((pair) => ESCAPED_AMPERSAND.test(pair));
  const pairs = [...plain, ...escaped.map((pair) => pair.replace(ESCAPED_AMPERSAND, ''))];
  for (const name of CAMPAIGN_PARAMETERS) {
    const pair = pairs.find((candidate) => candidate.startsWith(name));
    // The recorder also ignores empty values.
    if (pair !== undefined && pair !== name) found.push(name + cutValue(pair.slice(name.length)));
  }
  return found.join('&');
}

export function campaignOfUrl(url: string): string {
  return clickCampaign(QUERY_OF_URL.exec(url)?.[1] ?? '');
}

/** Returns the stored form of a utm_ value; null if it is empty. */
export function campaignValue(value: string): string | null {
  const text = value.replace(/\p{Cc}/gu, '').trim();
  // Truncates between characters, not within an emoji.
  const cut =
    text.length > MAX_UTM_CHARACTERS
      ? Array.from(text).slice(0, MAX_UTM_CHARACTERS).join('')
      : text;
  return cut === '' ? null : cut;
}

function cutValue(value: string): string {
  if (value.length <= PLAIN_LENGTH) return value;
  const text = campaignValue(new URLSearchParams(`v=${value}`).get('v') ?? '') ?? '';
  // The recorder trims before it truncates, so a trailing space must not be the last character.
  const kept = text.trimEnd() === text ? text : `${text}.`;
  // Escapes only query delimiters, because other characters are shorter without escaping.
  return kept.replace(/[%&+]/g, encodeURIComponent);
}
