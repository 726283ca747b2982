import { typedAddress } from '../../src/common/typed-address';
import { isForPhones, WHOLE_WEIGHT } from '../../src/destinations/destinations';
import { texts } from '../texts';
import type { ConditionDraft, DestinationsDraft, RuleDraft } from './destination-drafts';
import { type Problems, problemOfUrl } from './link-problems';

/**
 * Returns all problems with rules, countries and variants, by the API's dotted names. Does not
 * check unchanged parts again.
 * @param site this service's address
 */
export function problemsOfDestinations(
  draft: DestinationsDraft,
  before: DestinationsDraft,
  site: string,
): Problems {
  const has = (name: keyof DestinationsDraft): boolean =>
    JSON.stringify(draft[name]) !== JSON.stringify(before[name]);
  return {
    ...(has('rules') ? problemsOfRules(draft, site) : {}),
    ...(has('countries') ? problemsOfCountries(draft, site) : {}),
    ...(has('variants') ? problemsOfVariants(draft, site) : {}),
  };
}

type Found = readonly (readonly [string, string | null])[];

function present(found: Found): Problems {
  return Object.fromEntries(
    found.filter((entry): entry is readonly [string, string] => entry[1] !== null),
  );
}

function problemsOfRules({ rules }: DestinationsDraft, site: string): Problems {
  return present(
    rules.flatMap((rule, i): Found => [
      ...rule.when.flatMap((condition, c) =>
        problemsOfCondition(condition, `rules.${i}.when.${c}`),
      ),
      [`rules.${i}.to`, problemOfTarget(rule, site)],
    ]),
  );
}

function problemsOfCondition(condition: ConditionDraft, at: string): Found {
  const { field, values, name, from, to } = condition;
  const t = texts.rules.problems;
  if (field === 'time') {
    const isCrossed = from !== '' && to !== '' && from >= to;
    return [
      [`${at}.from`, from === '' && to === '' ? t.noTime : null],
      [`${at}.to`, isCrossed ? t.crossed : null],
    ];
  }
  if (field === 'query') return [[`${at}.name`, name.trim() === '' ? t.noName : null]];
  return [[`${at}.values`, values.length === 0 ? t.noValues : null]];
}

const OTHER_SCHEME = /^(?!https?:)[a-z][a-z0-9+.-]*:(?!\d)/i;

/** Rules for iOS and Android may open apps. Only the service validates such addresses. */
function problemOfTarget({ to, when }: RuleDraft, site: string): string | null {
  if (isForPhones(when) && OTHER_SCHEME.test(typedAddress(to))) return null;
  return problemOfUrl(to, site);
}

function problemsOfCountries({ countries }: DestinationsDraft, site: string): Problems {
  return present(
    countries.flatMap(({ code, url }, i): Found => [
      [`geo_rules.${i}.country`, code === '' ? texts.rules.problems.noCountry : null],
      [urlFieldOf(code, i), problemOfUrl(url, site)],
    ]),
  );
}

/** Returns the API name of a country's address, or its index while no country is chosen. */
export const urlFieldOf = (code: string, place: number): string =>
  `geo_rules.${code === '' ? place : code}`;

function problemsOfVariants({ variants }: DestinationsDraft, site: string): Problems {
  const isTooMuch = weightOf(variants) > WHOLE_WEIGHT;
  const isWeight = (weight: string): boolean => /^\d{1,3}$/.test(weight) && Number(weight) >= 1;
  return present([
    ...variants.flatMap(({ url, weight }, i): Found => [
      [`ab_variants.${i}.url`, problemOfUrl(url, site)],
      [
        `ab_variants.${i}.weight`,
        isWeight(weight) ? null : texts.errors.fields['ab_variants.weight'],
      ],
    ]),
    ['ab_variants', isTooMuch ? texts.variants.tooMuch : null],
  ]);
}

/** Returns the percentage of visitors who are sent to variants. */
export function weightOf(variants: DestinationsDraft['variants']): number {
  return variants.reduce((sum, { weight }) => sum + (Number(weight) || 0), 0);
}
