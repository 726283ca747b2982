import { COUNTRY_CODES } from '../../src/destinations/countries';
import type { ConditionField } from '../../src/destinations/destinations';
import { countryWords } from '../../src/destinations/wording';
import { texts } from '../texts';

/** Values by display text. */
type Offers = ReadonlyMap<string, string>;

export const COUNTRIES: Offers = new Map(
  COUNTRY_CODES.map((code) => [countryWords(code), code] as const).sort(([one], [other]) =>
    one.localeCompare(other, texts.locale),
  ),
);

const languageNames = new Intl.DisplayNames(texts.locale, { type: 'language' });
const LANGUAGES: Offers = new Map(
  'ar bn cs da de el en en-GB en-US es es-MX fa fi fr fr-CA he hi hu id it ja ko nl no pl pt pt-BR ro ru sv th tr uk vi zh zh-CN zh-TW'
    .split(' ')
    .map((code) => [`${languageNames.of(code) ?? code} (${code})`, code]),
);

const asTheyAre = (values: readonly string[]): Offers =>
  new Map(values.map((value) => [value, value]));

const SYSTEMS = ['Android', 'iOS', 'Windows', 'Mac OS X', 'Linux', 'Chrome OS'];
const BROWSERS = [
  ...['Chrome', 'Mobile Chrome', 'Safari', 'Mobile Safari', 'Firefox', 'Mobile Firefox'],
  ...['Edge', 'Mobile Edge', 'Opera', 'Mobile Opera', 'Samsung Internet'],
];

/**
 * Suggested values for conditions. The names are those in statistics. Users can type other values.
 */
export const OFFERS: Readonly<Partial<Record<ConditionField, Offers>>> = {
  os: asTheyAre(SYSTEMS),
  browser: asTheyAre(BROWSERS),
  country: COUNTRIES,
  language: LANGUAGES,
};
