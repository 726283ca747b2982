import { campaignValue } from '../../core/campaign-value';

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
    utmSource: campaignValue(parameters.get('utm_source') ?? ''),
    utmMedium: campaignValue(parameters.get('utm_medium') ?? ''),
    utmCampaign: campaignValue(parameters.get('utm_campaign') ?? ''),
  };
}
