const CAMPAIGN_PARAMETERS = ['utm_source=', 'utm_medium=', 'utm_campaign='];
/** An ampersand that a mail has escaped once too often; its first character separates the pairs. */
const ESCAPED_AMPERSAND = /^(?:(?:amp|#0*38|#x0*26)(?:;|%3b))+(?=utm_)/i;
/** Up to this length a value is kept as it came; it cannot hold more than is stored. */
const PLAIN_LENGTH = 100;
/** Longest value of a utm_ parameter in characters (docs/contract.md#8.4). */
const MAX_UTM_CHARACTERS = 100;
const QUERY_OF_URL = /^[^?#]*\?([^#]*)/;

/**
 * The first pair of each campaign parameter, its value cut to what is stored; one behind `&amp;`
 * counts where there is no other. Nothing else of a query is kept, so that a link password in
 * `?password=` is never written down.
 */
export function clickCampaign(query: string): string {
  if (!query.includes('utm_')) return '';
  const found: string[] = [];
  const plain = query.split('&');
  const escaped = plain.filter((pair) => ESCAPED_AMPERSAND.test(pair));
  const pairs = [...plain, ...escaped.map((pair) => pair.replace(ESCAPED_AMPERSAND, ''))];
  for (const name of CAMPAIGN_PARAMETERS) {
    const pair = pairs.find((candidate) => candidate.startsWith(name));
    // An empty one is none, as it is to the recorder.
    if (pair !== undefined && pair !== name) found.push(name + cutValue(pair.slice(name.length)));
  }
  return found.join('&');
}

/** The campaign that a URL names in its query, as `clickCampaign` has it. */
export function campaignOfUrl(url: string): string {
  return clickCampaign(QUERY_OF_URL.exec(url)?.[1] ?? '');
}

/** The value of a utm_ parameter as it is stored; null when nothing of it is left. */
export function campaignValue(value: string): string | null {
  const text = value.replace(/\p{Cc}/gu, '').trim();
  // Whole characters: a cut through an emoji would leave half of it.
  const cut =
    text.length > MAX_UTM_CHARACTERS
      ? Array.from(text).slice(0, MAX_UTM_CHARACTERS).join('')
      : text;
  return cut === '' ? null : cut;
}

function cutValue(value: string): string {
  if (value.length <= PLAIN_LENGTH) return value;
  const text = campaignValue(new URLSearchParams(`v=${value}`).get('v') ?? '') ?? '';
  // The recorder reads this once more: a space at the cut must not be the end, lest it is trimmed.
  const kept = text.trimEnd() === text ? text : `${text}.`;
  // Signs of a query are escaped anew; other characters take fewer bytes as they are.
  return kept.replace(/[%&+]/g, encodeURIComponent);
}
