import { type ConditionField, MAX_RULES } from '../../src/destinations/destinations';

/** A condition as typed, with times in datetime-local format. */
export interface ConditionDraft {
  readonly field: ConditionField;
  readonly values: readonly string[];
  readonly name: string;
  readonly from: string;
  readonly to: string;
  readonly not: boolean;
}

export interface RuleDraft {
  /** Null until the service assigns a key. */
  readonly key: string | null;
  readonly when: readonly ConditionDraft[];
  readonly to: string;
}

export interface CountryDraft {
  readonly code: string;
  readonly url: string;
}

export interface VariantDraft {
  readonly url: string;
  readonly weight: string;
}

export interface DestinationsDraft {
  readonly rules: readonly RuleDraft[];
  readonly countries: readonly CountryDraft[];
  readonly variants: readonly VariantDraft[];
}

export const NO_DESTINATIONS: DestinationsDraft = { rules: [], countries: [], variants: [] };

export const NEW_CONDITION: ConditionDraft = {
  field: 'device',
  values: [],
  name: '',
  from: '',
  to: '',
  not: false,
};
export const NEW_RULE: RuleDraft = { key: null, when: [NEW_CONDITION], to: '' };

/** Returns a rule that sends visitors who prefer a language (not set yet) to the destination. */
export function ownLanguageRule(
  rules: readonly RuleDraft[],
  destination: string,
): RuleDraft | null {
  const hasLanguage = rules.some(({ when }) => when.some(({ field }) => field === 'language'));
  const isCovered = destination === '' || rules.some(({ to }) => to === destination);
  if (!hasLanguage || isCovered || rules.length >= MAX_RULES) return null;
  return { ...NEW_RULE, when: [{ ...NEW_CONDITION, field: 'language' }], to: destination };
}

/** A fact about a visitor that a link's destination can depend on. */
export type VisitorFact = 'agent' | 'country' | 'language' | 'query' | 'at' | 'visitor';

const FACTS: Readonly<Record<ConditionField, VisitorFact>> = {
  device: 'agent',
  os: 'agent',
  browser: 'agent',
  country: 'country',
  language: 'language',
  query: 'query',
  time: 'at',
};

interface Deciding extends DestinationsDraft {
  readonly forward_query: boolean;
  readonly starts: string;
  readonly expire: string;
}

/** Returns the facts that this link's destination depends on. */
export function decidingFacts(draft: Deciding): ReadonlySet<VisitorFact> {
  const { rules, countries, variants, forward_query: forwards, starts, expire } = draft;
  const facts = rules.flatMap(({ when }) => when.map(({ field }) => FACTS[field]));
  if (countries.length > 0) facts.push('country');
  if (variants.length > 0) facts.push('visitor');
  if (forwards) facts.push('query');
  if (starts + expire !== '') facts.push('at');
  return new Set(facts);
}
