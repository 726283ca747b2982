import { aClick, NOTHING_KNOWN } from '../../../../test/support/shared/click.factory';
import { aQuery, countClicks, rows } from '../../../../test/support/shared/counted';
import { aLocalEngine, StoredClicksInMemory } from '../../../../test/support/shared/local-engine';
import { CancelledError } from '../chunk/engine.errors';
import { rankedBreakdown } from './query-result';
import {
  Cancellation,
  type Dimension,
  type StatisticsQuery,
  STORED_DIMENSIONS,
} from '../query/statistics-query';

const NOON = Date.UTC(2026, 10, 1, 12);
const DAY = 86_400_000;

const ann = 'a'.repeat(24);
const bob = 'b'.repeat(24);

describe('Counting', () => {
  it('counts the clicks and distinct visitors of a value', async () => {
    const clicks = [
      aClick({ visitor: ann, browser: 'Chrome' }),
      aClick({ visitor: ann, browser: 'Chrome' }),
      aClick({ visitor: bob, browser: 'Chrome' }),
      aClick({ visitor: ann, browser: 'Firefox' }),
    ];
    const result = await countClicks({ one: [clicks] }, aQuery({ dimensions: ['browser'] }));
    expect(rows(result, 'browser')).toEqual([
      { label: 'Chrome', clicks: 3, visitors: 2 },
      { label: 'Firefox', clicks: 1, visitors: 1 },
    ]);
    expect(result.summary).toMatchObject({ clicks: 4, visitors: 2 });
  });

  it('recognises a visitor in another chunk and on another link', async () => {
    const result = await countClicks(
      {
        one: [[aClick({ visitor: ann })], [aClick({ visitor: ann }), aClick({ visitor: bob })]],
        two: [[aClick({ visitor: ann })]],
      },
      aQuery({ dimensions: ['os', 'short_code'] }),
    );
    expect(rows(result, 'os')).toEqual([{ label: 'Windows', clicks: 4, visitors: 2 }]);
    expect(rows(result, 'short_code')).toEqual([
      { label: 'one', clicks: 3, visitors: 2 },
      { label: 'two', clicks: 1, visitors: 1 },
    ]);
    expect(result.summary.visitors).toBe(2);
  });

  it('sorts by clicks, then by value', async () => {
    const clicks = ['b', 'a', 'c', 'c'].map((city) => aClick({ city }));
    const labels = rows(
      await countClicks({ x: [clicks] }, aQuery({ dimensions: ['city'] })),
      'city',
    );
    expect(labels.map(({ label }) => label)).toEqual(['c', 'a', 'b']);
  });

  it('labels missing values, and counts the text (none) from a visitor as missing', async () => {
    const bare = aClick(NOTHING_KNOWN);
    const tagged = aClick({ ...bare, visitor: bob, utmSource: '(none)' });
    const result = await countClicks(
      { x: [[bare, tagged]] },
      aQuery({ dimensions: STORED_DIMENSIONS }),
    );
    const label = (dimension: Dimension) => rows(result, dimension).map((row) => row.label);
    expect(label('browser')).toEqual(['Unknown']);
    expect(label('os')).toEqual(['Unknown']);
    expect(label('device')).toEqual(['unknown']);
    expect(label('country')).toEqual(['Unknown']);
    expect(label('city')).toEqual(['Unknown']);
    expect(label('referrer')).toEqual(['Direct']);
    expect(label('utm_medium')).toEqual(['(none)']);
    expect(label('bot')).toEqual([]);
    expect(rows(result, 'utm_source')).toEqual([{ label: '(none)', clicks: 2, visitors: 2 }]);
  });

  it('includes clicks that match one of the values of each filter', async () => {
    const clicks = [
      aClick({ browser: 'Chrome', os: 'Linux' }),
      aClick({ browser: 'Firefox', os: 'Linux' }),
      aClick({ browser: 'Edge', os: 'Linux' }),
      aClick({ browser: 'Chrome', os: 'Windows' }),
    ];
    const filters = { browser: ['Chrome', 'Firefox'], os: ['Linux'] };
    expect((await countClicks({ x: [clicks] }, aQuery({ filters }))).summary.clicks).toBe(2);
  });

  it('matches case-sensitively, countries also by code, and missing values by label', async () => {
    const clicks = [aClick(), aClick({ country: null, countryCode: null })];
    const passed = async (filters: StatisticsQuery['filters']) =>
      (await countClicks({ x: [clicks] }, aQuery({ filters }))).summary.clicks;
    expect(await passed({ browser: ['chrome'] })).toBe(0);
    expect(await passed({ country: ['Germany'] })).toBe(1);
    expect(await passed({ country: ['DE'] })).toBe(1);
    expect(await passed({ country: ['de'] })).toBe(0);
    expect(await passed({ country: ['Unknown'] })).toBe(1);
    expect(await passed({ country: ['DE', 'Unknown'] })).toBe(2);
    expect(await passed({ referrer: ['Direct'] })).toBe(2);
    expect(await passed({ utm_source: ['(none)'] })).toBe(2);
    expect(await passed({ city: ['$ne'] })).toBe(0);
    expect(await passed({ city: [] })).toBe(0);
  });

  it('counts all visitors, only known bots, or all except known bots', async () => {
    const clicks = [
      aClick({ visitor: ann }),
      aClick({ visitor: ann, botName: 'curl' }),
      aClick({ visitor: bob, botName: 'Googlebot', os: 'Linux' }),
    ];
    const counted = async (audience: StatisticsQuery['audience'], filters = {}) => {
      const query = aQuery({ audience, filters, dimensions: ['bot'] });
      const result = await countClicks({ x: [clicks] }, query);
      const bots = rows(result, 'bot').map(({ label }) => label);
      return [result.summary.clicks, result.summary.visitors, ...bots];
    };
    expect(await counted(undefined)).toEqual([3, 2, 'Googlebot', 'curl']);
    expect(await counted('all')).toEqual([3, 2, 'Googlebot', 'curl']);
    expect(await counted('human')).toEqual([1, 1]);
    expect(await counted('bot')).toEqual([2, 2, 'Googlebot', 'curl']);
    expect(await counted('bot', { os: ['Linux'] })).toEqual([1, 1, 'Googlebot']);
  });

  it('counts no clicks for an audience without clicks', async () => {
    const counted = async (botName: string | null, audience: StatisticsQuery['audience']) =>
      (await countClicks({ x: [[aClick({ botName })]] }, aQuery({ audience }))).summary.clicks;
    expect([await counted(null, 'bot'), await counted('curl', 'human')]).toEqual([0, 0]);
    expect([await counted(null, 'human'), await counted('curl', 'bot')]).toEqual([1, 1]);
  });

  it('includes both ends of the range', async () => {
    const clicks = [NOON - 1, NOON, NOON + 5, NOON + 6].map((at) => aClick({ at }));
    const result = await countClicks({ x: [clicks] }, aQuery({ start: NOON, end: NOON + 5 }));
    expect(result.summary).toMatchObject({ clicks: 2, first: NOON });
    expect(result.summary.last?.at).toBe(NOON + 5);
  });

  it('returns the last click', async () => {
    const clicks = [
      aClick({ at: 7, browser: 'Edge', os: 'iOS', country: null }),
      aClick({ at: 6 }),
    ];
    expect((await countClicks({ x: [clicks] }, aQuery())).summary.last).toEqual({
      at: 7,
      browser: 'Edge',
      os: 'iOS',
      country: 'Unknown',
    });
  });

  it('returns zeros and nulls for an empty set of clicks', async () => {
    const buckets = { strategy: 'daily', timezone: 'UTC' } as const;
    const query = aQuery({ start: NOON, end: NOON + DAY, dimensions: ['time', 'os'], buckets });
    const result = await countClicks({ x: [[aClick({ at: 5 })]] }, query);
    expect(result.summary).toEqual({
      clicks: 0,
      visitors: 0,
      first: null,
      last: null,
      redirectMs: 0,
      withoutVisitor: 0,
      untimed: 0,
    });
    expect(rows(result, 'time')).toEqual([
      { label: '2026-11-01', clicks: 0, visitors: 0 },
      { label: '2026-11-02', clicks: 0, visitors: 0 },
    ]);
    expect(rows(result, 'os')).toEqual([]);
  });

  it('limits a list to its largest rows, in order, with the sums of all rows', async () => {
    const clicks = Array.from({ length: 9000 }, (_, i) =>
      aClick({ referrer: `https://r${(i * 7919) % 3001}.example`, visitor: i % 2 ? ann : bob }),
    );
    const whole = await countClicks({ x: [clicks] }, aQuery({ dimensions: ['referrer'] }));
    const cut = await countClicks({ x: [clicks] }, aQuery({ dimensions: ['referrer'] }), 1000);
    expect(rows(cut, 'referrer')).toEqual(rows(whole, 'referrer').slice(0, 1000));
    const { size, clicksSum, visitorsSum } = whole.breakdowns.referrer!;
    expect(cut.breakdowns.referrer).toMatchObject({ size, clicksSum, visitorsSum });
    expect(size).toBe(3001);
    expect(
      rows(await countClicks({ x: [clicks] }, aQuery({ dimensions: ['referrer'] }), 0), 'referrer'),
    ).toEqual([]);
  });

  it('never limits a list over time', async () => {
    const buckets = { strategy: 'daily', timezone: 'UTC' } as const;
    const query = aQuery({ start: NOON, end: NOON + 9 * DAY, dimensions: ['time'], buckets });
    expect(rows(await countClicks({ x: [[aClick()]] }, query, 3), 'time')).toHaveLength(10);
  });

  it('merges hosts of known sites and mobile browsers on request, before it limits lists', async () => {
    const hosts = ['m.facebook.com', 'a.example', 'a.example', 'l.facebook.com', 'facebook.com'];
    const clicks = hosts.map((host) =>
      aClick({
        referrer: `https://${host}`,
        browser: host === 'facebook.com' ? 'Chrome' : 'Mobile Chrome',
      }),
    );
    const query = aQuery({ dimensions: ['referrer', 'browser'], merged: true });
    // All clicks are a single visitor's; a filter selects rows, which another loop counts.
    for (const filters of [{}, { os: ['Windows'] }]) {
      const result = await countClicks({ x: [clicks] }, { ...query, filters });
      expect(rows(result, 'referrer')).toEqual([
        { label: 'https://facebook.com', clicks: 3, visitors: 1 },
        { label: 'https://a.example', clicks: 2, visitors: 1 },
      ]);
      expect(rows(result, 'browser')).toEqual([{ label: 'Chrome', clicks: 5, visitors: 1 }]);
      expect(result.breakdowns.referrer?.visitorsSum).toBe(2);
    }
  });

  it('replaces dots with underscores on request, and merges rows with equal labels', async () => {
    const clicks = ['https://a.b', 'https://a_b', 'https://a.b', 'https://c.d'].map((referrer) =>
      aClick({ referrer, city: 'St. Gallen' }),
    );
    const query = aQuery({ dimensions: ['referrer', 'city'], underscored: ['referrer'] });
    const result = await countClicks({ x: [clicks] }, query);
    expect(rows(result, 'referrer')).toEqual([
      { label: 'https://a_b', clicks: 3, visitors: 2 },
      { label: 'https://c_d', clicks: 1, visitors: 1 },
    ]);
    expect(rows(result, 'city').map(({ label }) => label)).toEqual(['St. Gallen']);
  });

  it('stops when cancelled, during counting and during sorting', async () => {
    const clicks = Array.from({ length: 5000 }, (_, i) => aClick({ referrer: `https://${i}.x` }));
    const cancellation = new Cancellation();
    const stored = new StoredClicksInMemory();
    stored.addBlock('x', clicks);
    stored.beforeBlocks = () => cancellation.cancel();
    const { runner, shards } = aLocalEngine(stored);
    const ask = (given: Cancellation) =>
      runner.run({ ownerId: 'x' }, aQuery({ dimensions: ['os'] }), 10, given);
    await expect(ask(cancellation)).rejects.toThrow(CancelledError);
    expect(shards.called).not.toContain('count');
    expect((await ask(new Cancellation())).summary.clicks).toBe(5000);
    const counts = { clicks: new Uint32Array(5000).fill(1), visitors: new Uint32Array(5000) };
    const ranking = { rows: Infinity, relabel: null, cancellation };
    expect(() => rankedBreakdown(counts, String, ranking)).toThrow(CancelledError);
  });
});
