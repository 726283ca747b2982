/** Fields of a visit that a rule of a link can look at (docs/contract.md#26.3). */
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
/** Weights are whole percents; the destination of the link gets what they leave. */
export const WHOLE_WEIGHT = 100;

/** One condition; which of its fields counts depends on `field`. */
export interface Condition {
  readonly field: ConditionField;
  readonly values?: readonly string[];
  /** Name of a pair of the query. */
  readonly name?: string;
  readonly from?: Date;
  /** Not reached any more at this moment. */
  readonly to?: Date;
  /** Turns the outcome around; absent where it does not. */
  readonly not?: true;
}

export interface NewRule {
  /** Absent where one is to be made. */
  readonly key?: string;
  readonly when: readonly Condition[];
  readonly to: string;
}

export interface Rule extends NewRule {
  readonly key: string;
}

export interface NewVariant {
  readonly url: string;
  readonly weight: number;
}

export interface Variant extends NewVariant {
  readonly key: string;
  /** Its hundredths of the visitors, by their numbers from 0 to 99. */
  readonly shares: readonly number[];
}

/** Destinations by country, ISO 3166-1 alpha-2 in upper case. */
export type GeoRules = Readonly<Record<string, string>>;

/** Destinations of a link beside its own, as somebody asks for them. */
export interface NewDestinations {
  readonly rules: readonly NewRule[];
  readonly geoRules: GeoRules | null;
  readonly abVariants: readonly NewVariant[];
}

/** A destination with the name under which its clicks are counted. */
export interface NamedDestination {
  readonly key: string;
  readonly url: string;
}

/** Destinations of a link beside its own. */
export interface Destinations extends NewDestinations {
  readonly rules: readonly Rule[];
  readonly abVariants: readonly Variant[];
  /** Highest number that a variant of the link has had. */
  readonly variantSeq: number;
  /** Highest number that a key `r1`, `r2`, … of the link has had. */
  readonly ruleSeq: number;
  /** Rules and variants of before, the oldest first, by which clicks are named. */
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

/** The key of `geo_rules` among those of rules and variants. */
export const GEO_KEY = 'geo';

/** Whether visits of the link may lead elsewhere than to its destination. */
export function hasDestinations({ rules, geoRules, abVariants }: NewDestinations): boolean {
  return rules.length > 0 || geoRules !== null || abVariants.length > 0;
}

const PHONE_SYSTEMS = ['ios', 'android'];

/** Whether conditions hold for iOS and Android alone, whose apps have schemes of their own. */
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

/** Names of the destinations that clicks of the link may have, removed ones included; by their keys. */
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
