import { Answer, FAULTS, type JsonService } from '../../support/imports/json-service';
import { SourceReading } from '../../support/imports/reading';
import {
  aSpooLink,
  type SpooClick,
  type SpooLink,
  spooService,
} from '../../support/imports/spoo-service';
import {
  CredentialRefusedError,
  SourceAnswerError,
} from '../../../src/imports/reading/source.errors';
import type { FoundRow } from '../../../src/imports/reading/import-reader';
import type { SourceLink } from '../../../src/imports/reading/source-link';

const KEY = 'spoo-key';
const day = (text: string): number => Date.parse(`${text}T00:00:00Z`);

describe('the reader of the API of spoo.me', () => {
  let spoo: JsonService;
  let reading: SourceReading;

  afterEach(() => {
    reading.close();
    spoo.stop();
  });

  async function open(
    links: SpooLink[],
    clicks: Record<string, readonly SpooClick[]> = {},
    key = KEY,
  ): Promise<SourceReading> {
    spoo = spooService(links, clicks, KEY);
    reading = new SourceReading('spoo_api', await spoo.start(), key);
    return reading;
  }
  const found = (rows: readonly FoundRow[]) => rows as readonly SourceLink[];
  const many = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, i) => aSpooLink(`s${String(from + i).padStart(4, '0')}`));
  const asked = (path: string) => spoo.asked.filter((question) => question.path === path);

  it('reads the fields of a link', async () => {
    const source = await open([
      aSpooLink('one', {
        status: 'INACTIVE',
        expire_after: 1_900_000_000,
        max_clicks: 50,
        private_stats: true,
        block_bots: true,
        password_set: true,
        meta_tags: { title: 'x' },
      }),
      aSpooLink('two'),
    ]);
    const [one, two] = found(await source.rows());
    expect(one).toMatchObject({
      ...{ alias: 'one', domain: 'spoo.test', longUrl: 'https://a.test/one' },
      ...{
        isArchived: true,
        isProtected: true,
        maxClicks: 50,
        blockBots: true,
        privateStats: true,
      },
      createdAt: new Date('2024-05-06T07:08:09Z'),
      expireAfter: new Date(1_900_000_000_000),
      notes: ['feature_dropped'],
      message: '{"meta_tags":{"title":"x"}}',
    });
    expect(two).toMatchObject({ isArchived: false, privateStats: false, notes: [] });
    expect(asked('/api/v1/stats')).toEqual([]);
  });

  it('adds up statistics for the whole lifetime of a link', async () => {
    const clicks: SpooClick[] = [
      { at: '2024-05-06T10:00:00.000Z', browser: 'Chrome', country: 'Germany', referrer: 'Direct' },
      { at: '2024-05-06T11:00:00.000Z', browser: 'Firefox', country: 'Chad', referrer: 't.co' },
      { at: '2024-11-30T23:59:59.999Z', browser: 'Chrome', country: 'Chad', referrer: 't.co' },
      { at: '2025-02-01T00:00:00.000Z', browser: 'Chrome', country: 'Chad', device: 'mobile' },
    ];
    const link = aSpooLink('one', { total_clicks: 4, last_click: clicks[3]?.at });
    const source = await open([link], { one: clicks });
    const [one] = found(await source.rows());
    expect(one?.pastClicks).toBe(4);
    expect(one?.counts).toMatchObject({
      ...{ granularity: 'day', timezone: 'UTC' },
      from: Date.parse(clicks[0]?.at ?? ''),
      to: Date.parse(clicks[3]?.at ?? ''),
      units: {
        starts: [day('2024-05-06'), day('2024-11-30'), day('2025-02-01')],
        clicks: [2, 1, 1],
      },
    });
    const { by } = one?.counts ?? {};
    expect(Object.fromEntries(by?.browser ?? [])).toEqual({ Chrome: 3, Firefox: 1 });
    expect(Object.fromEntries(by?.country ?? [])).toEqual({ Germany: 1, Chad: 3 });
    expect(Object.fromEntries(by?.device ?? [])).toMatchObject({ mobile: 1 });
    expect(spoo.mostAtOnce).toBeLessThanOrEqual(4);
    spoo.asked.length = 0;
    expect(found(await source.rows({ dryRun: true }))[0]?.pastClicks).toBe(4);
    expect(asked('/api/v1/stats')).toEqual([]);
  });

  it('uses only the total if the key cannot read statistics, or if only weeks are available', async () => {
    const source = await open([
      aSpooLink('one', { total_clicks: 9, last_click: '2024-05-07T00:00:00Z' }),
    ]);
    const told = {
      summary: { total_clicks: 9, first_click: null, last_click: null },
      metrics: {
        clicks_by_time: [{ time: '2024-05-06', clicks: 9 }],
        clicks_by_os: [{ os: 'iOS', clicks: 9 }],
      },
      time_bucket_info: { strategy: 'weekly' },
    };
    spoo.faults.push(null, new Answer(403, {}), null, new Answer(200, told));
    const read = async () => found(await source.rows())[0];
    const without = await read();
    expect([without?.pastClicks, without?.counts?.granularity]).toEqual([9, 'total']);
    reading.close();
    reading = new SourceReading('spoo_api', spoo.url, KEY);
    const weeks = found(await reading.rows())[0];
    expect([weeks?.pastClicks, weeks?.counts?.granularity]).toEqual([9, 'total']);
    expect([...(weeks?.counts?.by.os ?? [])]).toEqual([['iOS', 9]]);
  });

  it('does not count clicks twice if a service returns the same data for any range', async () => {
    const link = aSpooLink('one', { total_clicks: 20, last_click: '2025-05-07T00:00:00Z' });
    const source = await open([link]);
    const told = {
      summary: { total_clicks: 7 },
      metrics: { clicks_by_time: [{ time: '2025-05-06', clicks: 7 }] },
    };
    spoo.faults.push(null, new Answer(200, told), new Answer(200, told));
    const [one] = found(await source.rows());
    expect(one?.counts?.units.clicks).toEqual([7]);
    expect(one?.pastClicks).toBe(20);
  });

  it('loses no link if links are created or deleted between two pages', async () => {
    const links = many(0, 250);
    const source = await open(links);
    let pages = 0;
    const rows = await source.rows({}, () => {
      if (pages++ > 0) return;
      links.splice(10, 3);
      links.push(...many(250, 253));
    });
    const aliases = found(rows).map(({ alias }) => alias);
    expect(aliases).toHaveLength(253);
    expect(new Set(aliases).size).toBe(253);
  });

  it('fails with a wrong key', async () => {
    const source = await open([], {}, 'other');
    await expect(source.rows()).rejects.toThrow(CredentialRefusedError);
  });

  it.each(['redirect', 'html', 'otherShape', 'tooMuch'] as const)(
    'explains why a response is invalid: %s',
    async (fault) => {
      const source = await open([]);
      spoo.faults.push(FAULTS[fault]);
      await expect(source.rows()).rejects.toThrow(SourceAnswerError);
      spoo.faults.length = 0;
      spoo.faults.push(
        new Answer(200, { items: [aSpooLink('a', { total_clicks: 3 })], hasNext: false }),
        FAULTS[fault],
      );
      await expect(source.rows()).rejects.toThrow(SourceAnswerError);
    },
  );

  it('reports invalid items as unreadable', async () => {
    const source = await open([]);
    const items = [null, 5, [], { alias: 'x'.repeat(70_000) }, aSpooLink('good')];
    spoo.faults.push(new Answer(200, { items, hasNext: false }));
    const rows = await source.rows();
    expect(rows.map((row) => ('problem' in row ? row.problem : row.alias))).toEqual([
      ...Array.from({ length: 3 }, () => 'no link'),
      'a field is longer than 64 KiB',
      'good',
    ]);
  });
});
