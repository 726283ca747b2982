import type { Condition, ConditionField, Rule } from '../../../src/destinations/destinations';
import type { MadeUpVisit } from './expected-destination';

export const AGENTS = [
  {
    userAgent:
      'Mozilla/5.0 (iPhone; CPU iPhone OS 17_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.1 Mobile/15E148 Safari/604.1',
    os: 'iOS',
    browser: 'Mobile Safari',
    device: 'mobile',
  },
  {
    userAgent:
      'Mozilla/5.0 (iPad; CPU OS 16_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/16.6 Mobile/15E148 Safari/604.1',
    os: 'iOS',
    browser: 'Mobile Safari',
    device: 'tablet',
  },
  {
    userAgent:
      'Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Mobile Safari/537.36',
    os: 'Android',
    browser: 'Mobile Chrome',
    device: 'mobile',
  },
  {
    userAgent: 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
    os: 'Linux',
    browser: 'Firefox',
    device: 'desktop',
  },
  {
    userAgent:
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Safari/537.36 Edg/120.0.0.0',
    os: 'Windows',
    browser: 'Edge',
    device: 'desktop',
  },
  { userAgent: 'curl/8.5.0', os: 'Unknown', browser: 'Unknown', device: 'unknown' },
] as const;

const LANGUAGES = ['de', 'de-AT', 'pt', 'pt-BR', 'en', 'fr-CA', 'zh-Hans-CN', 'zh-Hans', '*'];
const COUNTRIES = ['DE', 'FR', 'US', 'JP', null];
const NAMES = ['src', 'Ref', 'a b'];
const VALUES = ['mail', 'App', ''];
export const MIDDAY = Date.UTC(2030, 0, 1, 12);

export class Dice {
  constructor(private state: number) {}

  below(limit: number): number {
    this.state = (this.state * 48_271) % 2_147_483_647;
    return this.state % limit;
  }

  oneOf<T>(list: readonly T[]): T {
    return list[this.below(list.length)] as T;
  }

  someOf<T>(list: readonly T[], max: number): T[] {
    return [...new Set(Array.from({ length: 1 + this.below(max) }, () => this.oneOf(list)))];
  }
}

export function aMadeUpVisit(dice: Dice): MadeUpVisit & { readonly userAgent: string } {
  const languages = Array.from(
    { length: dice.below(4) },
    () => [dice.oneOf(LANGUAGES), dice.oneOf([1, 1, 0.9, 0.5, 0])] as const,
  );
  const pairs = Array.from(
    { length: dice.below(3) },
    () => [dice.oneOf(NAMES), dice.oneOf(VALUES)] as const,
  );
  const at = MIDDAY + (dice.below(5) - 2) * 1000;
  return { ...dice.oneOf(AGENTS), at, country: dice.oneOf(COUNTRIES), languages, pairs };
}

const MAKERS: Readonly<Record<ConditionField, (dice: Dice) => Omit<Condition, 'field' | 'not'>>> = {
  device: (dice) => ({ values: dice.someOf(['mobile', 'tablet', 'desktop'], 2) }),
  os: (dice) => ({ values: dice.someOf(['ios', 'Android', 'LINUX', 'Windows', 'unknown'], 2) }),
  browser: (dice) => ({ values: dice.someOf(['Mobile Safari', 'edge', 'Firefox', 'Unknown'], 2) }),
  country: (dice) => ({ values: dice.someOf(['DE', 'FR', 'US', 'JP'], 2) }),
  language: (dice) => ({
    values: dice.someOf(['de', 'DE-at', 'pt', 'pt-br', 'en', 'fr', 'zh-hans', 'zh'], 2),
  }),
  query: (dice) => ({
    name: dice.oneOf(NAMES),
    ...(dice.below(2) === 0 ? {} : { values: dice.someOf(VALUES.filter(Boolean), 2) }),
  }),
  time: (dice) =>
    dice.oneOf([
      { from: new Date(MIDDAY) },
      { to: new Date(MIDDAY) },
      { from: new Date(MIDDAY - 1000), to: new Date(MIDDAY + 1000) },
    ]),
};

/** @param fields allowed in the rule's conditions */
export function aMadeUpRule(
  dice: Dice,
  place: number,
  fields: readonly ConditionField[] = Object.keys(MAKERS) as ConditionField[],
): Rule {
  const when = Array.from({ length: 1 + dice.below(3) }, (): Condition => {
    const field = dice.oneOf(fields);
    const not = dice.below(4) === 0 ? ({ not: true } as const) : {};
    return { field, ...MAKERS[field](dice), ...not };
  });
  return { key: `r${place + 1}`, when, to: `https://example.com/rule/${place + 1}` };
}
