import { toRules } from './shlink-rules';

describe('rules from Shlink', () => {
  const to = 'https://b.test/';
  const rule = (priority: number, ...conditions: object[]) => ({
    longUrl: to,
    priority,
    conditions,
  });
  const condition = (type: string, matchValue: string | null, matchKey: string | null = null) => ({
    type,
    matchKey,
    matchValue,
  });

  it.each([
    [condition('device', 'android'), { field: 'os', values: ['Android'] }],
    [condition('device', 'ios'), { field: 'os', values: ['iOS'] }],
    [condition('device', 'macos'), { field: 'os', values: ['Mac OS X'] }],
    [condition('device', 'mobile'), { field: 'device', values: ['mobile', 'tablet'] }],
    [condition('device', 'desktop'), { field: 'device', values: ['desktop'] }],
    [condition('language', 'pt_BR'), { field: 'language', values: ['pt-BR'] }],
    [condition('query-param', 'x', 'from'), { field: 'query', name: 'from', values: ['x'] }],
    [condition('any-value-query-param', null, 'from'), { field: 'query', name: 'from' }],
    [condition('geolocation-country-code', 'DE'), { field: 'country', values: ['DE'] }],
    [
      condition('before-date', '2030-01-01T00:00:00+00:00'),
      { field: 'time', to: new Date('2030-01-01T00:00:00Z') },
    ],
  ])("with %j are converted to Curtail's rules", async (given, when) => {
    const { settings, lost } = await toRules([rule(1, given)]);
    expect(settings.destinations?.rules).toMatchObject([{ when: [when], to }]);
    expect(lost).toEqual([]);
  });

  it.each([
    [condition('ip-address', '192.0.2.0/24')],
    [condition('geolocation-city-name', 'Berlin')],
    [condition('valueless-query-param', null, 'from')],
    [condition('device', 'watch')],
    [condition('language', '*')],
    [condition('geolocation-country-code', 'XX')],
    [condition('query-param', '', 'from')],
    [condition('something-new', 'x')],
    [condition('__proto__', 'x')],
    [condition('device', 'constructor')],
  ])('with %j are dropped as a whole', async (given) => {
    const broken = rule(1, condition('language', 'de'), given);
    const { settings, lost } = await toRules([broken, rule(2, condition('language', 'fr'))]);
    expect(settings.destinations?.rules).toMatchObject([{ when: [{ values: ['fr'] }] }]);
    expect(lost).toEqual([broken]);
  });

  it('keep the order of their priorities, up to the maximum number of rules', async () => {
    const given = Array.from({ length: 21 }, (_, i) => rule(21 - i, condition('language', 'de')));
    const { settings, lost } = await toRules([
      ...given,
      { longUrl: to, priority: 0, conditions: [] },
    ]);
    expect(settings.destinations?.rules).toHaveLength(20);
    expect(lost).toMatchObject([{ priority: 0 }, { priority: 21 }]);
  });
});
