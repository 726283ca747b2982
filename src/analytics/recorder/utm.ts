const LONGEST = 100;

/** The campaign of a visit; null where the visited URL names none. */
export interface Campaign {
  utmSource: string | null;
  utmMedium: string | null;
  utmCampaign: string | null;
}

const NONE: Campaign = { utmSource: null, utmMedium: null, utmCampaign: null };

/** The three utm_ parameters in the query of a visited short URL (without its `?`). */
export function campaignOf(query: string): Campaign {
  if (query === '') return NONE;
  const parameters = new URLSearchParams(query);
  return {
    utmSource: clean(parameters.get('utm_source')),
    utmMedium: clean(parameters.get('utm_medium')),
    utmCampaign: clean(parameters.get('utm_campaign')),
  };
}

function clean(value: string | null): string | null {
  if (value === null) return null;
  const text = value.replace(/\p{Cc}/gu, '').trim();
  // Whole characters: a cut through an emoji would leave half of it.
  const cut = text.length > LONGEST ? Array.from(text).slice(0, LONGEST).join('') : text;
  return cut === '' ? null : cut;
}
