import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { GeoReader } from '../../../src/infrastructure/geoip/geo.reader';
import type { ConditionField, Rule } from '../../../src/destinations/destinations';
import {
  acceptLanguageOf,
  expectedTaker,
  type MadeUpVisit,
  queryOf,
} from '../../support/shared/expected-destination';
import { aMadeUpRule, aMadeUpVisit, Dice } from '../../support/shared/made-up-visits';
import { ApiClient } from '../../support/api-client';
import { databaseOf } from '../../support/database';
import { journalEmpty, storedClicks } from '../../support/exact-clicks';
import { limitsFile } from '../../support/limits';
import { startService, type Service } from '../../support/service';

const VISITS = 4000;
const AT_ONCE = 32;
/** One visit in this many is also tested with `resolve`. */
const TRIED = 10;
const RULE_FIELDS: ConditionField[] = ['device', 'os', 'browser', 'country', 'language', 'query'];
const DAY_MS = 86_400_000;
const HOME = 'https://example.com/home';
const GEO = { DE: 'https://example.com/geo', JP: 'https://example.com/geo' };
const VARIANTS = [20, 30, 25].map((weight, i) => ({
  url: `https://example.com/variant/${i + 1}`,
  weight,
}));

interface Answered extends MadeUpVisit {
  readonly userAgent: string;
  readonly token: string;
  readonly address: string;
  readonly location: string | undefined;
  readonly head: string | undefined;
}

function addressesByCountry(dice: Dice, countries: readonly string[]): Map<string, string[]> {
  const reader = GeoReader.open();
  const found = new Map(countries.map((country) => [country, [] as string[]]));
  while ([...found.values()].some(({ length }) => length < 50)) {
    const address = [1 + dice.below(220), dice.below(256), dice.below(256), dice.below(256)].join(
      '.',
    );
    const list = found.get(reader.locate(address).countryCode ?? '');
    if (list !== undefined && list.length < 50) list.push(address);
  }
  reader.close();
  return found;
}

function aRareRule(dice: Dice, place: number): Rule {
  for (;;) {
    const rule = aMadeUpRule(dice, place, RULE_FIELDS);
    const turned = rule.when.filter(({ not }) => not === true);
    if (rule.when.length === 3 && turned.length < 2) return rule;
  }
}

describe('Visits of a link with 12 rules, countries and variants', () => {
  let machines: [Service, Service];
  let owner: ApiClient;
  let link: { id: string; alias: string };
  const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });
  const dice = new Dice(26);
  const answered: Answered[] = [];
  const rules: Rule[] = [
    ...Array.from({ length: 11 }, (_, i) => aRareRule(dice, i)),
    {
      key: 'r12',
      when: [
        { field: 'time', from: new Date(Date.now() - DAY_MS), to: new Date(Date.now() + DAY_MS) },
        { field: 'language', values: ['fr'] },
      ],
      to: 'https://example.com/rule/12',
    },
  ];

  const ask = async (
    machine: Service,
    method: 'GET' | 'HEAD',
    path: string,
    headers: Record<string, string>,
  ): Promise<string | undefined> => {
    const asked = request({ agent, host: '127.0.0.1', port: machine.port, method, path, headers });
    asked.end();
    const [response] = (await once(asked, 'response')) as [IncomingMessage];
    response.resume();
    expect(response.statusCode).toBe(302);
    return response.headers.location;
  };
  const locationOf = (key: string | null): string => {
    if (key === null) return HOME;
    if (key === 'geo') return GEO.DE;
    return rules.find((rule) => rule.key === key)?.to ?? VARIANTS[Number(key) - 1]?.url ?? '';
  };
  const keyOf = (location: string | undefined): string | null =>
    ['geo', ...rules.map(({ key }) => key), '1', '2', '3'].find(
      (key) => locationOf(key) === location,
    ) ?? null;

  beforeAll(async () => {
    const env = { LIMITS_FILE: limitsFile({ 'links.resolve': 'off' }) };
    const one = await startService({ env });
    machines = [one, await startService({ env, database: one.database })];
    owner = await ApiClient.on(one);
    const body = { long_url: HOME, rules, geo_rules: GEO, ab_variants: VARIANTS };
    link = await owner.aLink(body);
    const addresses = addressesByCountry(dice, ['DE', 'FR', 'US', 'JP']);
    const visits = Array.from({ length: VISITS }, (_, i) => {
      const visit = aMadeUpVisit(dice);
      const address =
        visit.country === null
          ? `10.0.${dice.below(256)}.${dice.below(256)}`
          : dice.oneOf(addresses.get(visit.country) ?? []);
      return { ...visit, address, token: `t${i}` };
    });
    let next = 0;
    const keepVisiting = async (): Promise<void> => {
      for (let i = next++; i < VISITS; i = next++) {
        const visit = visits[i]!;
        const headers = {
          'X-Forwarded-For': visit.address,
          'User-Agent': visit.userAgent,
          'Accept-Language': acceptLanguageOf(visit),
        };
        const query = [`utm_campaign=${visit.token}`, queryOf(visit)].filter(Boolean).join('&');
        const path = `/${link.alias}?${query}`;
        const location = await ask(machines[i % 2 ? 1 : 0], 'GET', path, headers);
        const head = await ask(machines[i % 2 ? 0 : 1], 'HEAD', path, headers);
        answered.push({ ...visit, location, head });
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, keepVisiting));
  });
  afterAll(async () => {
    agent.destroy();
    await Promise.all(machines.map((machine) => machine.stop()));
  });

  it('lead to the destination of an independent model, and otherwise to variants', () => {
    const takers = new Map<string | null, number>();
    const wrong = answered.filter((visit) => {
      const expected = expectedTaker(rules, GEO, { ...visit, at: Date.now() });
      const key = keyOf(visit.location);
      takers.set(key, (takers.get(key) ?? 0) + 1);
      return expected === null ? key !== null && !/^\d$/.test(key) : key !== expected;
    });
    expect([answered.length, wrong]).toEqual([VISITS, []]);
    expect([...takers.keys()]).toEqual(expect.arrayContaining(['r12', 'geo', '1', '2', '3', null]));
  });

  it('lead to the same destination for HEAD on another machine', () => {
    expect(answered.filter(({ location, head }) => location !== head)).toEqual([]);
  });

  it('lead the same visitor to the same variant', () => {
    const known = new Map<string, string | null>();
    for (const { address, userAgent, location } of answered) {
      const key = keyOf(location);
      if (key !== null && !/^\d$/.test(key)) continue;
      const visitor = `${address} ${userAgent}`;
      if (known.has(visitor)) expect(key).toBe(known.get(visitor));
      known.set(visitor, key);
    }
    expect(known.size).toBeGreaterThan(100);
  });

  it('lead to the destination that `resolve` returns', async () => {
    const tried = answered.filter((_, i) => i % TRIED === 0);
    for (const visit of tried) {
      const { body } = await owner.call('post', `/api/v1/urls/${link.id}/resolve`, {
        user_agent: visit.userAgent,
        country: visit.country,
        language: acceptLanguageOf(visit),
        query: queryOf(visit),
        visitor: visit.address,
      });
      expect(body).toMatchObject({ location: visit.location, key: keyOf(visit.location) });
    }
  });

  it('are counted for the rule, country or variant that chose the destination', async () => {
    for (const { dataDir } of machines) await journalEmpty(dataDir);
    const database = await databaseOf(machines[0]);
    const clicks = await storedClicks(database, link.id);
    await database.close();
    const variants = new Map(clicks.map((click) => [click.utmCampaign, click.variant]));
    expect(clicks.length).toBe(VISITS);
    const wrong = answered.filter(({ token, location }) => variants.get(token) !== keyOf(location));
    expect(wrong).toEqual([]);
  });

  it('are counted by variant in statistics', async () => {
    const path = `/api/v1/stats/links/${link.id}?group_by=variant&metrics=clicks`;
    const { status, body } = await owner.call('get', path);
    expect(status).toBe(200);
    const rows = body.metrics.clicks_by_variant as { variant: string; clicks: number }[];
    const counted = new Map<string, number>();
    for (const { location } of answered) {
      const key = keyOf(location) ?? '(default)';
      counted.set(key, (counted.get(key) ?? 0) + 1);
    }
    expect(new Map(rows.map((row) => [row.variant, row.clicks]))).toEqual(counted);
    const chosen = await owner.call('get', `${path}&variant=2,geo`);
    expect(chosen.body.summary.total_clicks).toBe(counted.get('2')! + counted.get('geo')!);
  });

  it('are labelled with the rule that chose the destination, even after it is deleted', async () => {
    const names = {
      ...Object.fromEntries(rules.map(({ key, to }) => [key, to])),
      ...Object.fromEntries(VARIANTS.map(({ url }, i) => [`${i + 1}`, url])),
    };
    const path = `/api/v1/stats/links/${link.id}`;
    expect((await owner.call('get', path)).body.variants).toEqual(names);
    await owner.update(link.id, { rules: null, geo_rules: null, ab_variants: [] });
    expect((await owner.call('get', path)).body.variants).toEqual(names);
    const other = await owner.aLink({ geo_rules: GEO });
    const { body } = await owner.call('get', `/api/v1/stats/links/${other.id}`);
    expect(body).not.toHaveProperty('variants');
  });
});
