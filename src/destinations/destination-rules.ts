import { BadRequestError } from '../common/errors';
import { parseTime } from '../common/time';
import { countryCode } from './countries';
import type { ConditionDto, RequestedRules } from './destinations.dto';
import {
  type Condition,
  type GeoRules,
  isForPhones,
  type NewDestinations,
  type NewRule,
} from './destinations';

/** Destinations from a request. Only their types are validated, not the rules. */
export type RequestedDestinations = Omit<NewDestinations, 'rules'> & {
  readonly rules: RequestedRules;
};

export interface AddressField {
  readonly field: string;
  readonly url: string;
  /** Whether schemes other than http and https, which open apps, are allowed. */
  readonly opensApps: boolean;
}

/** Does not check addresses. @throws BadRequestError for violations of docs/contract.md#26.3 */
export function checkedDestinations({
  rules,
  geoRules,
  abVariants,
}: Partial<RequestedDestinations>): Partial<NewDestinations> {
  return {
    ...(rules === undefined ? {} : { rules: checkedRules(rules) }),
    ...(geoRules === undefined ? {} : { geoRules: geoRules && checkedCountries(geoRules) }),
    ...(abVariants === undefined ? {} : { abVariants }),
  };
}

export function destinationAddresses({
  rules = [],
  geoRules = null,
  abVariants = [],
}: Partial<NewDestinations>): AddressField[] {
  return [
    ...abVariants.map(({ url }, i) => ({
      field: `ab_variants.${i}.url`,
      url,
      opensApps: false,
    })),
    ...Object.entries(geoRules ?? {}).map(([code, url]) => ({
      field: `geo_rules.${code}`,
      url,
      opensApps: false,
    })),
    ...rules.map(({ when, to }, i) => ({
      field: `rules.${i}.to`,
      url: to,
      opensApps: isForPhones(when),
    })),
  ];
}

function checkedRules(rules: RequestedRules): NewRule[] {
  const keys = new Set<string>();
  return rules.map(({ key, when, to }, i): NewRule => {
    const field = `rules.${i}`;
    if (typeof key === 'string') {
      if (keys.has(key)) throw problem(`${field}.key`, 'is also the key of another rule');
      keys.add(key);
    }
    const conditions = when.map((condition, c) =>
      checkedCondition(condition, `${field}.when.${c}`),
    );
    return { ...(key ? { key } : {}), when: conditions, to };
  });
}

function checkedCondition(condition: ConditionDto, field: string): Condition {
  const { field: kind, values, name } = condition;
  const not = condition.not === true ? ({ not: true } as const) : {};
  if (kind === 'time') return { field: kind, ...checkedTimes(condition, field), ...not };
  if (kind === 'query') {
    if (typeof name !== 'string')
      throw problem(`${field}.name`, 'is required for a query condition');
    return { field: kind, name, ...(values ? { values } : {}), ...not };
  }
  const known = (values ?? []).map((value, i) =>
    kind === 'country' ? knownCountry(value, `${field}.values.${i}`) : value,
  );
  return { field: kind, values: known, ...not };
}

function checkedTimes({ from, to }: ConditionDto, field: string): Pick<Condition, 'from' | 'to'> {
  const begin = readTime(from, `${field}.from`);
  const end = readTime(to, `${field}.to`);
  if (begin === undefined && end === undefined) {
    throw problem(`${field}.from`, 'or to is required for a time condition');
  }
  if (begin !== undefined && end !== undefined && begin >= end) {
    throw problem(`${field}.to`, 'must be after from');
  }
  return { ...(begin ? { from: begin } : {}), ...(end ? { to: end } : {}) };
}

/** Rounds to whole seconds, because responses have whole seconds. */
function readTime(input: number | string | null | undefined, field: string): Date | undefined {
  if (input === null || input === undefined) return undefined;
  const ms = parseTime(input);
  if (ms === null) throw problem(field, 'is not a valid time');
  return new Date(Math.floor(ms / 1000) * 1000);
}

function checkedCountries(geoRules: GeoRules): GeoRules {
  const checked = new Map<string, string>();
  for (const [name, url] of Object.entries(geoRules)) {
    const code = knownCountry(name, `geo_rules.${name}`);
    if (checked.has(code)) throw problem(`geo_rules.${name}`, 'appears twice');
    checked.set(code, url);
  }
  return Object.fromEntries(checked);
}

function knownCountry(name: string, field: string): string {
  const code = countryCode(name);
  if (code === null) throw problem(field, 'is not an ISO 3166-1 alpha-2 country code');
  return code;
}

function problem(field: string, what: string): BadRequestError {
  return new BadRequestError(`${field} ${what}`, field);
}
