export const CONDITION_FIELDS = [
  'device',
  'os',
  'browser',
  'country',
  'language',
  'query',
  'time',
] as const;

export type ConditionField = (typeof CONDITION_FIELDS)[number];

export const RULE_DEVICES = ['mobile', 'tablet', 'desktop'] as const;

export const MAX_RULES = 20;
export const MAX_CONDITIONS = 5;
export const MAX_CONDITION_VALUES = 20;
export const MAX_CONDITION_VALUE_LENGTH = 100;
export const MAX_COUNTRIES = 50;
export const MAX_VARIANTS = 10;
/** Maximum total weight in percent. The remaining visitors get the default destination. */
export const WHOLE_WEIGHT = 100;

/** `field` determines which other members apply. */
export interface Condition {
  readonly field: ConditionField;
  readonly values?: readonly string[];
  readonly name?: string;
  readonly from?: Date;
  /** End time, exclusive. */
  readonly to?: Date;
  /** Negates the condition. Absent instead of false. */
  readonly not?: true;
}

export interface NewRule {
  readonly key?: string;
  readonly when: readonly Condition[];
  readonly to: string;
}

export interface Rule extends NewRule {
  readonly key: string;
}

export interface NewVariant {
  /** Only in account exports; otherwise assigned. */
  readonly key?: string;
  readonly url: string;
  readonly weight: number;
}

export interface Variant extends NewVariant {
  readonly key: string;
  /** This variant's visitor buckets, 0 to 99. */
  readonly shares: readonly number[];
}

/** Destinations by country code, ISO 3166-1 alpha-2 in upper case. */
export type GeoRules = Readonly<Record<string, string>>;

export interface NewDestinations {
  readonly rules: readonly NewRule[];
  readonly geoRules: GeoRules | null;
  readonly abVariants: readonly NewVariant[];
}

/** A destination, with the key under which its clicks are counted. */
export interface NamedDestination {
  readonly key: string;
  readonly url: string;
}

export interface Destinations extends NewDestinations {
  readonly rules: readonly Rule[];
  readonly abVariants: readonly Variant[];
  /** Highest number that any of the link's variants has ever had. */
  readonly variantSeq: number;
  /** Highest number that any of the link's generated rule keys (`r1`, `r2`, …) has ever had. */
  readonly ruleSeq: number;
  /** Removed rules and variants, oldest first, so that statistics can name their clicks. */
  readonly goneDestinations: readonly NamedDestination[];
}

export const NO_DESTINATIONS: Destinations = {
  rules: [],
  geoRules: null,
  abVariants: [],
  variantSeq: 0,
  ruleSeq: 0,
  goneDestinations: [],
};

/** The key for clicks through `geo_rules`, which no rule can have. */
export const GEO_KEY = 'geo';

export function hasDestinations({ rules, geoRules, abVariants }: NewDestinations): boolean {
  return rules.length > 0 || geoRules !== null || abVariants.length > 0;
}

const PHONE_SYSTEMS = ['ios', 'android'];

/** Whether conditions match only iOS and Android, for which app schemes are allowed. */
export function isForPhones(
  when: readonly { field: ConditionField; values?: readonly string[]; not?: boolean }[],
): boolean {
  return when.some(
    ({ field, values = [], not }) =>
      field === 'os' &&
      not !== true &&
      values.every((value) => PHONE_SYSTEMS.includes(value.toLowerCase())),
  );
}

/** Returns names by key for all destinations, including removed destinations. */
export function destinationNames({
  rules,
  abVariants,
  goneDestinations,
}: Destinations): Record<string, string> {
  const named = [
    ...goneDestinations,
    ...rules.map(({ key, to }) => ({ key, url: to })),
    ...abVariants,
  ];
  return Object.fromEntries(named.map(({ key, url }) => [key, url]));
}
