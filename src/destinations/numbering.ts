import {
  type Destinations,
  GEO_KEY,
  type NamedDestination,
  type NewDestinations,
  type NewRule,
  type NewVariant,
  type Rule,
  type Variant,
  WHOLE_WEIGHT,
} from './destinations';

const MAX_GONE = 100;
const NUMBERED = /^r(\d{1,15})$/;

const RULE_KEY = /^(?=.*[a-z-])[a-z0-9-]{1,20}$/;

export function ruleKeyProblem(key: string): string | null {
  if (RULE_KEY.test(key) && key !== GEO_KEY) return null;
  return `must be 1 to 20 characters of a-z, 0-9 and -, not only digits and not ${GEO_KEY}`;
}

/** Never reuses a key's number, so that clicks on different destinations stay separate. */
export function numbered(before: Destinations, change: Partial<NewDestinations>): Destinations {
  const { rules, ruleSeq } = change.rules ? numberRules(change.rules, before) : before;
  const { abVariants, variantSeq } = change.abVariants
    ? numberVariants(change.abVariants, before)
    : before;
  const after = {
    rules,
    ruleSeq,
    abVariants,
    variantSeq,
    geoRules: change.geoRules === undefined ? before.geoRules : change.geoRules,
  };
  return { ...after, goneDestinations: goneAfter(before, [...rules, ...abVariants]) };
}

function numberRules(
  rules: readonly NewRule[],
  before: Destinations,
): Pick<Destinations, 'ruleSeq' | 'rules'> {
  const given = new Set(rules.flatMap(({ key }) => key ?? []));
  let ruleSeq = Math.max(before.ruleSeq, ...[...given].map(ruleNumber));
  const nextKey = (): string => {
    for (;;) {
      const key = `r${++ruleSeq}`;
      if (!given.has(key)) return key;
    }
  };
  return { rules: rules.map(({ key = nextKey(), when, to }) => ({ key, when, to })), ruleSeq };
}

const ruleNumber = (key: string): number => Number(NUMBERED.exec(key)?.[1] ?? 0);

function numberVariants(
  variants: readonly NewVariant[],
  before: Destinations,
): Pick<Destinations, 'abVariants' | 'variantSeq'> {
  const left = [...before.abVariants];
  const given = variants.map(({ key }) => Number(key ?? 0));
  let variantSeq = Math.max(before.variantSeq, ...given);
  const kept = variants.map(({ key, url, weight }): Variant => {
    const at = left.findIndex((variant) => variant.url === url);
    const [same] = at === -1 ? [] : left.splice(at, 1);
    const number = same?.key ?? key ?? String(++variantSeq);
    return { key: number, url, weight, shares: same?.shares ?? [] };
  });
  return { abVariants: withShares(kept, before.abVariants), variantSeq };
}

/**
 * Assigns visitor buckets by weight. A variant keeps its buckets up to its weight, then takes freed
 * buckets, then the default's buckets. A change therefore moves as few visitors as possible.
 */
function withShares(variants: readonly Variant[], before: readonly Variant[]): Variant[] {
  const kept = variants.map((variant) => variant.shares.slice(0, variant.weight));
  const owned = new Set(kept.flat());
  const free = Array.from({ length: WHOLE_WEIGHT }, (_, i) => i).filter((i) => !owned.has(i));
  const givenUp = new Set(before.flatMap(({ shares }) => shares));
  free.sort((a, b) => Number(givenUp.has(b)) - Number(givenUp.has(a)) || a - b);
  return variants.map((variant, i) => {
    const shares = kept[i] ?? [];
    const more = free.splice(0, variant.weight - shares.length);
    return { ...variant, shares: [...shares, ...more].sort((a, b) => a - b) };
  });
}

type Present = Rule | Variant;

/** Returns removed destinations, oldest first. Omits destinations whose key is used again. */
function goneAfter(before: Destinations, after: readonly Present[]): NamedDestination[] {
  const present = new Set(after.map(({ key }) => key));
  const earlier = [
    ...before.goneDestinations,
    ...before.rules.map(({ key, to }) => ({ key, url: to })),
    ...before.abVariants.map(({ key, url }) => ({ key, url })),
  ];
  return earlier.filter(({ key }) => !present.has(key)).slice(-MAX_GONE);
}
