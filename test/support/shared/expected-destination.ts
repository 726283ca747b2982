import type { Condition, GeoRules, Rule } from '../../../src/destinations/destinations';

/** A visit with known properties, so that no header has to be parsed. */
export interface MadeUpVisit {
  readonly at: number;
  readonly device: string;
  readonly os: string;
  readonly browser: string;
  readonly country: string | null;
  readonly languages: readonly (readonly [string, number])[];
  readonly pairs: readonly (readonly [string, string])[];
}

export function acceptLanguageOf({ languages }: MadeUpVisit): string {
  return languages.map(([name, q]) => (q === 1 ? name : `${name};q=${q}`)).join(', ');
}

export function queryOf({ pairs }: MadeUpVisit): string {
  return pairs.map((pair) => pair.map(encodeURIComponent).join('=')).join('&');
}

/**
 * Applies docs/contract.md#26.3 independently of the service: returns a rule's key, `geo`, or
 * null if variants and the destination decide.
 */
export function expectedTaker(
  rules: readonly Rule[],
  geoRules: GeoRules | null,
  visit: MadeUpVisit,
): string | null {
  for (const rule of rules) {
    let holds = true;
    for (const condition of rule.when) {
      const met = meets(condition, visit, rules);
      if (condition.not === true ? met : !met) holds = false;
    }
    if (holds) return rule.key;
  }
  const { country } = visit;
  return country !== null && geoRules !== null && country in geoRules ? 'geo' : null;
}

function meets(condition: Condition, visit: MadeUpVisit, rules: readonly Rule[]): boolean {
  const wanted = (condition.values ?? []).map((value) => value.toLowerCase());
  switch (condition.field) {
    case 'device':
    case 'os':
    case 'browser':
      return wanted.includes(visit[condition.field].toLowerCase());
    case 'country':
      return visit.country !== null && wanted.includes(visit.country.toLowerCase());
    case 'language': {
      const best = bestOf(visit, rules);
      return best !== null && wanted.includes(best);
    }
    case 'query': {
      const values = visit.pairs.filter(([name]) => name === condition.name);
      if (condition.values === undefined) return values.length > 0;
      return values.some(([, value]) => condition.values?.includes(value));
    }
    case 'time': {
      const tooEarly = condition.from !== undefined && visit.at < condition.from.getTime();
      const tooLate = condition.to !== undefined && visit.at >= condition.to.getTime();
      return !tooEarly && !tooLate;
    }
  }
}

/** Returns the best match between the visitor's languages and the rules' languages. */
function bestOf({ languages }: MadeUpVisit, rules: readonly Rule[]): string | null {
  const named = rules
    .flatMap(({ when }) => when)
    .filter(({ field }) => field === 'language')
    .flatMap(({ values = [] }) => values.map((value) => value.toLowerCase()));
  let best: { language: string; rank: readonly number[] } | null = null;
  for (const [place, [own, q]] of languages.entries()) {
    if (q === 0 || own === '*') continue;
    for (const language of named) {
      if (!`${own.toLowerCase()}-`.startsWith(`${language}-`)) continue;
      const rank = [-q, place, -language.length];
      if (best === null || isBefore(rank, best.rank)) best = { language, rank };
    }
  }
  return best?.language ?? null;
}

function isBefore(one: readonly number[], other: readonly number[]): boolean {
  for (const [i, value] of one.entries()) {
    const difference = value - (other[i] ?? 0);
    if (difference !== 0) return difference < 0;
  }
  return false;
}
