import { MAX_RULES, WHOLE_WEIGHT } from '../../../src/destinations/destinations';
import { parseUserAgent } from '../../../src/infrastructure/user-agent/user-agent';
import { LABELLED_AGENTS } from '../../support/shared/labelled-agents';
import { OFFERS } from '../../../web/parts/condition-offers';
import { problemsOfDestinations } from '../../../web/parts/destination-problems';
import {
  type ConditionDraft,
  decidingFacts,
  type DestinationsDraft,
  NEW_CONDITION,
  NEW_RULE,
  NO_DESTINATIONS,
  ownLanguageRule,
} from '../../../web/parts/destination-drafts';

const problems = (draft: Partial<DestinationsDraft>, before = NO_DESTINATIONS) =>
  problemsOfDestinations({ ...before, ...draft }, before, 'https://go.example');
const withCondition = (changes: Partial<ConditionDraft>, to = 'example.com') => ({
  rules: [{ ...NEW_RULE, when: [{ ...NEW_CONDITION, ...changes }], to }],
});

describe('form checks of destinations before submission', () => {
  it('report every invalid field with the dotted names of the API', () => {
    const found = problems({
      rules: [NEW_RULE],
      countries: [
        { code: '', url: '' },
        { code: 'DE', url: 'https://go.example/x' },
      ],
      variants: [{ url: '', weight: '1.5' }],
    });
    expect(Object.keys(found)).toEqual([
      'rules.0.when.0.values',
      'rules.0.to',
      'geo_rules.0.country',
      'geo_rules.0',
      'geo_rules.DE',
      'ab_variants.0.url',
      'ab_variants.0.weight',
    ]);
  });

  it.each<[string, Partial<ConditionDraft>, string[]]>([
    ['a query without a name', { field: 'query', values: ['a'] }, ['name']],
    ['a query by its name alone', { field: 'query', name: 'a' }, []],
    ['a time without an end', { field: 'time', from: '2030-01-01T00:00' }, []],
    ['neither from nor until', { field: 'time' }, ['from']],
    [
      'a time that ends before it begins',
      { field: 'time', from: '2030-01-02T00:00', to: '2030-01-01T00:00' },
      ['to'],
    ],
    ['a language', { field: 'language', values: ['de'] }, []],
  ])('validate %s', (_, condition, fields) => {
    expect(Object.keys(problems(withCondition(condition)))).toEqual(
      fields.map((field) => `rules.0.when.0.${field}`),
    );
  });

  it('accept app links if a rule is for phones only', () => {
    const app = 'myapp://open';
    const found = (condition: Partial<ConditionDraft>) =>
      Object.keys(problems(withCondition(condition, app)));
    expect(found({ field: 'os', values: ['ios', 'Android'] })).toEqual([]);
    expect(found({ field: 'os', values: ['iOS'], not: true })).toEqual(['rules.0.to']);
    expect(found({ field: 'os', values: ['iOS', 'Windows'] })).toEqual(['rules.0.to']);
    expect(found({ field: 'device', values: ['mobile'] })).toEqual(['rules.0.to']);
  });

  it('add up the weights, and ignore unchanged values', () => {
    const variants = [
      { url: 'example.com', weight: '60' },
      { url: 'example.org', weight: String(WHOLE_WEIGHT - 60) },
    ];
    expect(problems({ variants })).toEqual({});
    const more = [...variants, { url: 'example.net', weight: '1' }];
    expect(Object.keys(problems({ variants: more }))).toEqual(['ab_variants']);
    const stored = { ...NO_DESTINATIONS, variants: [{ url: 'https://go.example/', weight: '1' }] };
    expect(problems({ countries: [] }, stored)).toEqual({});
  });
});

describe('suggested values for conditions', () => {
  it('are the names of families that the service uses', () => {
    const met = LABELLED_AGENTS.flatMap(([, agents]) => agents.map(parseUserAgent));
    const families = [...met.map(({ os }) => os), ...met.map(({ browser }) => browser)];
    const offered = [...(OFFERS.os ?? []), ...(OFFERS.browser ?? [])].map(([, family]) => family);
    expect(offered.length).toBeGreaterThan(15);
    expect(offered.filter((family) => !families.includes(family))).toEqual([]);
  });
});

describe('a suggested rule for the language of the destination', () => {
  const home = 'example.com/home';
  const language = { ...NEW_CONDITION, field: 'language' } as const;
  const english = { ...NEW_RULE, when: [{ ...language, values: ['en'] }], to: 'example.com/en' };

  it('appears after another rule contains a language', () => {
    expect(ownLanguageRule([], home)).toBeNull();
    expect(ownLanguageRule([NEW_RULE], home)).toBeNull();
    const offered = ownLanguageRule([english], home);
    expect(offered).toEqual({ key: null, when: [language], to: home });
  });

  it('does not appear without a destination, twice, or beyond the maximum number of rules', () => {
    expect(ownLanguageRule([english], '')).toBeNull();
    expect(ownLanguageRule([english, { ...NEW_RULE, to: home }], home)).toBeNull();
    expect(ownLanguageRule(Array<typeof english>(MAX_RULES).fill(english), home)).toBeNull();
  });
});

describe('the facts about a visitor that choose a destination', () => {
  const plain = { ...NO_DESTINATIONS, forward_query: false, starts: '', expire: '' };

  it('are none if all visitors get the same destination', () => {
    expect(decidingFacts(plain).size).toBe(0);
  });

  it('include all conditions, countries, variants, times and the query', () => {
    const when = (['os', 'browser', 'query'] as const).map((field) => ({
      ...NEW_CONDITION,
      field,
    }));
    const rules = [{ ...NEW_RULE, when }];
    expect([...decidingFacts({ ...plain, rules })]).toEqual(['agent', 'query']);
    expect([
      ...decidingFacts({
        ...plain,
        countries: [{ code: 'DE', url: '' }],
        variants: [{ url: '', weight: '' }],
        forward_query: true,
        expire: '2090-01-01T00:00',
      }),
    ]).toEqual(['country', 'visitor', 'query', 'at']);
  });
});
