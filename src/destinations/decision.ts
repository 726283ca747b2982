import { parseUserAgent, type Agent } from '../infrastructure/user-agent/user-agent';
import {
  type Condition,
  type ConditionField,
  type Destinations,
  GEO_KEY,
  type Variant,
} from './destinations';
import { toLocation } from './location';

/** Maximum length that is read. Browsers send far less. */
const MAX_LANGUAGE_HEADER = 1024;
const RANGE = /^([a-z]{1,8}(?:-[a-z0-9]{1,8})*)(?:;q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?))?$/;

/** Visit properties that determine the destination. */
export interface Visitor {
  /** Milliseconds since 1970-01-01 UTC. */
  readonly at: number;
  readonly userAgent: string;
  readonly language: string;
  /** The visited short URL's query without `?`. */
  readonly query: string;
  /** Returns the country's alpha-2 code; null if unknown. Called at most once. */
  readonly country: () => string | null;
  /** Returns the visitor's bucket for this link, 0 to 99. */
  readonly share: () => number;
}

export interface Choice {
  readonly by: 'rule' | 'geo' | 'variant' | 'default';
  /** Key of the rule or variant, `geo` for countries, null for the default destination. */
  readonly key: string | null;
  readonly location: string;
}

class Facts {
  private knownAgent?: Agent;
  private knownCountry?: string | null;
  private knownLanguage?: string | null;
  private knownPairs?: URLSearchParams;

  constructor(
    private readonly visitor: Visitor,
    /** All languages in the link's rules. */
    private readonly languages: ReadonlySet<string>,
  ) {}

  get at(): number {
    return this.visitor.at;
  }

  get agent(): Agent {
    return (this.knownAgent ??= parseUserAgent(this.visitor.userAgent));
  }

  get country(): string | null {
    if (this.knownCountry === undefined) this.knownCountry = this.visitor.country();
    return this.knownCountry;
  }

  get language(): string | null {
    if (this.knownLanguage === undefined) {
      this.knownLanguage = bestLanguage(this.visitor.language, this.languages);
    }
    return this.knownLanguage;
  }

  get pairs(): URLSearchParams {
    return (this.knownPairs ??= new URLSearchParams(this.visitor.query));
  }
}

type Test = (facts: Facts) => boolean;

/** Name for an unknown family (docs/contract.md#8.4). */
const UNKNOWN_FAMILY = 'Unknown';

const lowerCaseSet = (values: readonly string[]): Set<string> =>
  new Set(values.map((value) => value.toLowerCase()));

const TESTS: Readonly<Record<ConditionField, (condition: Condition) => Test>> = {
  device: ({ values = [] }) => {
    return ({ agent }) => values.includes(agent.device);
  },
  os: ({ values = [] }) => {
    const families = lowerCaseSet(values);
    return ({ agent }) => families.has((agent.os ?? UNKNOWN_FAMILY).toLowerCase());
  },
  browser: ({ values = [] }) => {
    const families = lowerCaseSet(values);
    return ({ agent }) => families.has((agent.browser ?? UNKNOWN_FAMILY).toLowerCase());
  },
  country: ({ values = [] }) => {
    return ({ country }) => country !== null && values.includes(country);
  },
  language: ({ values = [] }) => {
    const languages = lowerCaseSet(values);
    return ({ language }) => language !== null && languages.has(language);
  },
  query: ({ name = '', values }) => {
    if (values === undefined) return ({ pairs }) => pairs.has(name);
    return ({ pairs }) => pairs.getAll(name).some((value) => values.includes(value));
  },
  time: ({ from, to }) => {
    const [begin, end] = [from?.getTime() ?? -Infinity, to?.getTime() ?? Infinity];
    return ({ at }) => begin <= at && at < end;
  },
};

export class Decision {
  private readonly rules: readonly { tests: readonly Test[]; choice: Choice }[];
  private readonly countries: ReadonlyMap<string, Choice> | null;
  /** Choices by visitor bucket, 0 to 99; null if the link has no variants. */
  private readonly shares: readonly (Choice | undefined)[] | null;
  private readonly otherwise: Choice;
  private readonly languages: ReadonlySet<string>;

  constructor(
    { rules, geoRules, abVariants }: Pick<Destinations, 'abVariants' | 'geoRules' | 'rules'>,
    location: string,
  ) {
    const conditions = rules.flatMap(({ when }) => when);
    const named = conditions.filter(({ field }) => field === 'language');
    this.languages = lowerCaseSet(named.flatMap(({ values = [] }) => values));
    this.rules = rules.map(({ key, when, to }) => ({
      tests: when.map(toTest),
      choice: { by: 'rule', key, location: toLocation(to) },
    }));
    this.countries = geoRules && choicesByCountry(geoRules);
    this.shares = abVariants.length === 0 ? null : choicesByShare(abVariants);
    this.otherwise = { by: 'default', key: null, location };
  }

  choose(visitor: Visitor): Choice {
    const facts = new Facts(visitor, this.languages);
    for (const { tests, choice } of this.rules) {
      if (tests.every((test) => test(facts))) return choice;
    }
    const country = this.countries === null ? null : facts.country;
    const there = country === null ? undefined : this.countries?.get(country);
    return there ?? this.shares?.[visitor.share()] ?? this.otherwise;
  }
}

function toTest(condition: Condition): Test {
  const test = TESTS[condition.field](condition);
  return condition.not === true ? (facts) => !test(facts) : test;
}

function choicesByCountry(geoRules: Readonly<Record<string, string>>): Map<string, Choice> {
  const toChoice = (url: string): Choice => ({
    by: 'geo',
    key: GEO_KEY,
    location: toLocation(url),
  });
  return new Map(Object.entries(geoRules).map(([code, url]) => [code, toChoice(url)]));
}

function choicesByShare(variants: readonly Variant[]): (Choice | undefined)[] {
  const shares: (Choice | undefined)[] = [];
  for (const { key, url, shares: own } of variants) {
    const choice: Choice = { by: 'variant', key, location: toLocation(url) };
    for (const share of own) shares[share] = choice;
  }
  return shares;
}

/** Returns languages in lower case, sorted by `q`, then by position. */
function acceptedLanguages(header: string): string[] {
  const ranges: { language: string; q: number }[] = [];
  for (const part of header.slice(0, MAX_LANGUAGE_HEADER).toLowerCase().split(',')) {
    const [, language, q = '1'] = RANGE.exec(part.replace(/[ \t]/g, '')) ?? [];
    if (language !== undefined && Number(q) > 0) ranges.push({ language, q: Number(q) });
  }
  return ranges.sort((a, b) => b.q - a.q).map(({ language }) => language);
}

/** Also tries languages without their last subtags (RFC 4647, 3.4; docs/contract.md#26.3). */
function bestLanguage(header: string, named: ReadonlySet<string>): string | null {
  for (const language of acceptedLanguages(header)) {
    const parts = language.split('-');
    for (; parts.length > 0; parts.pop()) {
      const range = parts.join('-');
      if (named.has(range)) return range;
    }
  }
  return null;
}
