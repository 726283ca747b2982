import {
  acceptLanguageOf,
  expectedTaker,
  queryOf,
} from '../../test/support/shared/expected-destination';
import {
  AGENTS,
  aMadeUpRule,
  aMadeUpVisit,
  Dice,
  MIDDAY,
} from '../../test/support/shared/made-up-visits';
import { Decision, type Visitor } from './decision';
import { type Condition, type Destinations, NO_DESTINATIONS } from './destinations';
import { numbered } from './numbering';

const HOME = 'https://example.com/';
const THERE = 'https://example.com/there';
const [PHONE, , , DESKTOP] = AGENTS;

const aVisitor = (changes: Partial<Visitor> = {}): Visitor => ({
  at: MIDDAY,
  userAgent: DESKTOP.userAgent,
  language: '',
  query: '',
  country: () => null,
  share: () => 0,
  ...changes,
});
const decided = (destinations: Partial<Destinations>, visitor: Partial<Visitor> = {}) =>
  new Decision({ ...NO_DESTINATIONS, ...destinations }, HOME).choose(aVisitor(visitor));

/** Whether a rule with this condition matches the visit. */
const holds = (condition: Condition, visitor: Partial<Visitor>): boolean =>
  decided({ rules: [{ key: 'r1', when: [condition], to: THERE }] }, visitor).by === 'rule';

describe('A condition', () => {
  it.each<[string, Condition, Partial<Visitor>, boolean]>([
    ['a device', { field: 'device', values: ['mobile', 'desktop'] }, {}, true],
    ['another device', { field: 'device', values: ['mobile'] }, {}, false],
    [
      'a system in any case',
      { field: 'os', values: ['ios'] },
      { userAgent: PHONE.userAgent },
      true,
    ],
    ['a browser', { field: 'browser', values: ['FIREFOX'] }, {}, true],
    ['no User-Agent', { field: 'browser', values: ['Unknown'] }, { userAgent: '' }, true],
    ['a country', { field: 'country', values: ['DE'] }, { country: () => 'DE' }, true],
    ['no country', { field: 'country', values: ['DE'] }, {}, false],
    ['no country, turned around', { field: 'country', values: ['DE'], not: true }, {}, true],
    ['a language', { field: 'language', values: ['de'] }, { language: 'de-AT' }, true],
    ['a language of a region', { field: 'language', values: ['en'] }, { language: 'en-GB' }, true],
    ['a region alone', { field: 'language', values: ['pt-BR'] }, { language: 'pt' }, false],
    ['a region', { field: 'language', values: ['pt-BR'] }, { language: 'PT-br;q=0.1' }, true],
    ['another region', { field: 'language', values: ['pt-BR'] }, { language: 'pt-PT' }, false],
    ['a refused language', { field: 'language', values: ['de'] }, { language: 'de;q=0, *' }, false],
    ['no language', { field: 'language', values: ['de'], not: true }, { language: '' }, true],
    ['a pair', { field: 'query', name: 'a b' }, { query: 'x=1&a+b' }, true],
    [
      'an escaped pair',
      { field: 'query', name: 'ä', values: ['&'] },
      { query: '%C3%A4=%26' },
      true,
    ],
    ['a second pair', { field: 'query', name: 'a', values: ['2'] }, { query: 'a=1&a=2' }, true],
    ['another case', { field: 'query', name: 'A' }, { query: 'a=1' }, false],
    ['the first moment', { field: 'time', from: new Date(MIDDAY) }, {}, true],
    ['the last moment', { field: 'time', to: new Date(MIDDAY) }, {}, false],
    ['the one before it', { field: 'time', to: new Date(MIDDAY) }, { at: MIDDAY - 1 }, true],
  ])('on %s', (_, condition, visitor, expected) => {
    expect(holds(condition, visitor)).toBe(expected);
    const turned = condition.not === true ? { ...condition, not: undefined } : null;
    if (turned === null) expect(holds({ ...condition, not: true }, visitor)).toBe(!expected);
  });

  it('on a language uses the best match of all rules, and prefers an exact match', () => {
    const rule = (key: string, value: string) => ({
      key,
      when: [{ field: 'language' as const, values: [value] }],
      to: `https://example.com/${key}`,
    });
    const rules = [rule('fr', 'fr'), rule('de', 'de'), rule('at', 'de-AT'), rule('zh', 'zh-Hans')];
    const taker = (language: string) => decided({ rules }, { language }).key;
    expect(taker('fr;q=0.8, de-CH;q=0.9')).toBe('de');
    expect(taker('de-AT, de')).toBe('at');
    expect(taker('en, de, fr')).toBe('de');
    expect(taker('en')).toBeNull();
    expect(taker('zh-Hans-CN,zh;q=0.9')).toBe('zh');
    expect(taker('zh-Hant-TW')).toBeNull();
    expect(taker('zh')).toBeNull();
    expect(taker('zh-Hansa')).toBeNull();
    expect(taker('de-AT-1996')).toBe('at');
  });
});

describe('The choice of a destination', () => {
  it('tries rules, then countries, then variants, then the destination', () => {
    const rules = [
      { key: 'phones', when: [{ field: 'device' as const, values: ['mobile'] }], to: THERE },
    ];
    const all = numbered(NO_DESTINATIONS, {
      rules,
      geoRules: { DE: 'https://bücher.example/' },
      abVariants: [{ url: 'https://example.com/b', weight: 40 }],
    });
    const [german, mobile] = [{ country: () => 'DE' }, { userAgent: PHONE.userAgent }];
    expect(decided(all, { ...german, ...mobile })).toEqual({
      by: 'rule',
      key: 'phones',
      location: THERE,
    });
    expect(decided(all, german)).toEqual({
      by: 'geo',
      key: 'geo',
      location: 'https://xn--bcher-kva.example/',
    });
    expect(decided(all, { share: () => 39 })).toMatchObject({ by: 'variant', key: '1' });
    expect(decided(all, { share: () => 40 })).toEqual({
      by: 'default',
      key: null,
      location: HOME,
    });
  });

  it('reads only the country and share that it needs, each once', () => {
    const country = jest.fn(() => null);
    const share = jest.fn(() => 0);
    const isAbroad = { field: 'country' as const, values: ['FR'] };
    const rules = ['a', 'b'].map((key) => ({ key, when: [isAbroad], to: THERE }));
    decided({ rules, geoRules: { DE: THERE } }, { country, share });
    decided(
      { rules: [{ key: 'c', when: [{ field: 'query', name: 'x' }], to: THERE }] },
      { country },
    );
    expect([country.mock.calls.length, share.mock.calls.length]).toEqual([1, 0]);
  });

  it('matches an independent model for 20,000 visits of 200 links', () => {
    const dice = new Dice(20_301);
    const takers = new Map<string | null, number>();
    for (let i = 0; i < 200; i++) {
      const rules = Array.from({ length: 1 + dice.below(6) }, (_, place) =>
        aMadeUpRule(dice, place),
      );
      const geoRules = dice.below(2) === 0 ? null : { DE: THERE, JP: THERE };
      const decision = new Decision({ ...NO_DESTINATIONS, rules, geoRules }, HOME);
      for (let v = 0; v < 100; v++) {
        const visit = aMadeUpVisit(dice);
        const choice = decision.choose({
          at: visit.at,
          userAgent: visit.userAgent,
          language: acceptLanguageOf(visit),
          query: queryOf(visit),
          country: () => visit.country,
          share: () => 0,
        });
        const expected = expectedTaker(rules, geoRules, visit);
        if (choice.key !== expected) expect({ rules, visit, choice }).toEqual(expected);
        takers.set(expected, (takers.get(expected) ?? 0) + 1);
      }
    }
    // Every kind of outcome occurred.
    expect([...takers.keys()]).toEqual(expect.arrayContaining(['r1', 'r4', 'geo', null]));
  });
});
