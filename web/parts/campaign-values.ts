import { typedAddress } from '../../src/common/typed-address';
import { mergeUtm, UTM_FIELDS } from '../../src/destinations/utm';

export type CampaignValues = Readonly<Record<(typeof UTM_FIELDS)[number], string>>;

export const NO_CAMPAIGN: CampaignValues = {
  source: '',
  medium: '',
  campaign: '',
  term: '',
  content: '',
};

export function campaignOf(destination: string): CampaignValues {
  const query = /^[^?#]*\?([^#]*)/.exec(destination)?.[1] ?? '';
  const parameters = new URLSearchParams(query);
  return valuesFrom((field) => parameters.get(`utm_${field}`) ?? '');
}

export function valuesFrom(read: (field: keyof CampaignValues) => string): CampaignValues {
  return Object.fromEntries(UTM_FIELDS.map((field) => [field, read(field)])) as CampaignValues;
}

/** Replaces a destination's campaign values. Removes empty values. */
export function withCampaign(typed: string, values: CampaignValues): string {
  const destination = typedAddress(typed);
  const had = campaignOf(destination);
  const gone = UTM_FIELDS.filter((field) => values[field].trim() === '' && had[field] !== '');
  const rest = gone.reduce(
    (address, field) => withoutParameter(address, `utm_${field}`),
    destination,
  );
  const set = UTM_FIELDS.filter((field) => values[field].trim() !== '');
  return mergeUtm(rest, {
    ...Object.fromEntries(set.map((field) => [field, values[field].trim()])),
    overwrite: true,
  });
}

function withoutParameter(address: string, name: string): string {
  const [, before = '', query, after = ''] = /^([^?#]*)(?:\?([^#]*))?(.*)$/s.exec(address) ?? [];
  if (query === undefined) return address;
  const pairs = query.split('&').filter((pair) => !new URLSearchParams(pair).has(name));
  return pairs.length === 0 ? `${before}${after}` : `${before}?${pairs.join('&')}${after}`;
}
