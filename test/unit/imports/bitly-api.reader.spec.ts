import { aBitlyLink, type BitlyAccount, bitlyService } from '../../support/imports/bitly-service';
import { Answer, FAULTS, type JsonService } from '../../support/imports/json-service';
import { SourceReading } from '../../support/imports/reading';
import {
  CredentialRefusedError,
  SourceAnswerError,
  SourceTrouble,
} from '../../../src/imports/reading/source.errors';
import { DEFAULT_OPTIONS } from '../../../src/imports/store/import';
import type { FoundRow } from '../../../src/imports/reading/import-reader';
import type { SourceLink } from '../../../src/imports/reading/source-link';

const TOKEN = 'bitly-token';
const PLAN = ['countries', 'referrers', 'devices'];
const day = (text: string): number => Date.parse(`${text}T00:00:00Z`);

describe('the reader of the API of Bitly', () => {
  let bitly: JsonService;
  let reading: SourceReading;

  afterEach(() => {
    reading.close();
    bitly.stop();
  });

  async function open(account: Partial<BitlyAccount>, token = TOKEN): Promise<SourceReading> {
    bitly = bitlyService({ groups: {}, clicks: {}, plan: PLAN, ...account }, TOKEN);
    reading = new SourceReading('bitly_api', await bitly.start(), token);
    return reading;
  }
  const links = (rows: readonly FoundRow[]) => rows as readonly SourceLink[];
  const named = (rows: readonly FoundRow[]) =>
    links(rows).map(({ row, part, alias }) => `${row}.${part} ${alias ?? ''}`);

  it('reads all groups and pages, including archived links, and each back-half separately', async () => {
    const { rows } = await open({
      groups: {
        Bb: [aBitlyLink('four', { archived: true })],
        Ba: [
          aBitlyLink('a1', {
            custom_bitlinks: ['https://bit.ly/newer', 'https://my.test/older', 'https://bit.ly/a1'],
            tags: ['one', 'two'],
          }),
          aBitlyLink('a2', { is_deleted: true, deeplinks: [{ app_uri_path: '/x' }] }),
          aBitlyLink('a3', { title: null, campaign_ids: ['c1'] }),
        ],
      },
    }).then(async (service) => ({ rows: links(await service.rows()) }));
    expect(named(rows)).toEqual([
      '1.0 a1',
      '1.1 newer',
      '1.2 older',
      '2.0 a2',
      '3.0 a3',
      '4.0 four',
    ]);
    expect(rows[1]).toMatchObject({
      domain: 'bit.ly',
      longUrl: 'https://a.test/a1',
      title: 'Title of a1',
      tagNames: ['one', 'two'],
      createdAt: new Date('2020-10-26T17:20:40Z'),
      isArchived: false,
    });
    expect(rows[2]).toMatchObject({ domain: 'my.test', longUrl: 'https://a.test/a1' });
    expect(rows[3]).toMatchObject({
      isArchived: true,
      notes: ['feature_dropped'],
      message: '{"deeplinks":[{"app_uri_path":"/x"}]}',
    });
    expect(rows[4]).toMatchObject({ title: null, message: '{"campaign_ids":["c1"]}' });
    expect(rows[5]).toMatchObject({ isArchived: true });
  });

  it('assigns counts by day and dimension to the first custom back-half, otherwise to the link', async () => {
    const source = await open({
      groups: {
        B: [aBitlyLink('a', { custom_bitlinks: ['https://bit.ly/mine'] }), aBitlyLink('b')],
      },
      clicks: {
        'bit.ly/a': {
          days: { '2025-10-13': 2, '2025-10-12': 5, '2025-10-11': 0 },
          countries: { SK: 6, XX: 1 },
          referrers: { direct: 3, 't.co': 4 },
          devices: { Desktop: 5, Fridge: 2 },
        },
      },
    });
    const [random, custom, other] = links(await source.rows());
    expect([random?.pastClicks, random?.counts]).toEqual([0, undefined]);
    expect(custom?.pastClicks).toBe(7);
    expect(custom?.counts).toEqual({
      granularity: 'day',
      timezone: 'UTC',
      from: day('2025-10-12'),
      to: day('2025-10-14'),
      units: { starts: [day('2025-10-12'), day('2025-10-13')], clicks: [5, 2] },
      by: {
        country: new Map([
          ['Slovakia', 6],
          ['XX', 1],
        ]),
        referrer: new Map([
          ['Direct', 3],
          ['t.co', 4],
        ]),
        device: new Map([
          ['desktop', 5],
          ['Fridge', 2],
        ]),
      },
    });
    expect(other?.pastClicks).toBe(0);
    // Links without clicks do not require dimension requests.
    expect(bitly.asked.filter(({ path }) => path.endsWith('/b/countries'))).toEqual([]);
    expect(bitly.mostAtOnce).toBeLessThanOrEqual(4);

    const [, , ...none] = links(
      await source.rows({ options: { ...DEFAULT_OPTIONS, short_domain: 'x.test' } }),
    );
    expect(none.some(({ pastClicks }) => pastClicks > 0)).toBe(false);
  });

  it('requests dimensions only in a run, and missing ones once per page', async () => {
    const ids = ['a', 'b'];
    const source = await open({
      groups: { B: ids.map((id) => aBitlyLink(id)) },
      clicks: Object.fromEntries(ids.map((id) => [`bit.ly/${id}`, { days: { '2025-01-02': 3 } }])),
      plan: ['referrers'],
    });
    const paths = () => bitly.asked.map(({ path }) => path.replace('/v4/bitlinks/bit.ly', ''));
    expect(links(await source.rows({ dryRun: true })).map(({ pastClicks }) => pastClicks)).toEqual([
      3, 3,
    ]);
    expect(paths().filter((path) => /countries|referrers|devices/.test(path))).toEqual([]);
    bitly.asked.length = 0;
    const found = links(await source.rows());
    expect(Object.keys(found[1]?.counts?.by ?? {})).toEqual([]);
    const asked = paths().filter((path) => /countries|referrers|devices/.test(path));
    expect(asked.sort()).toEqual(['/a/countries', '/a/devices', '/a/referrers', '/b/referrers']);
    bitly.asked.length = 0;
    await source.rows({ options: { ...DEFAULT_OPTIONS, history: 'none' } });
    expect(paths().filter((path) => path.endsWith('/clicks'))).toEqual([]);
  });

  it('loses no link if links are created or deleted between two pages', async () => {
    const group = ['b', 'd', 'f', 'h'].map((code) => aBitlyLink(code));
    const source = await open({ groups: { B: group } });
    let pages = 0;
    const found = await source.rows({}, () => {
      if (pages++ > 0) return;
      group.splice(0, 1);
      group.unshift(aBitlyLink('a'));
      group.push(aBitlyLink('j'));
    });
    expect(links(found).map(({ alias }) => alias)).toEqual(['b', 'd', 'f', 'h', 'j']);
  });

  it.each([
    'https://elsewhere.test/v4/groups/B/bitlinks?search_after=1',
    'no address',
    'x'.repeat(5000),
  ])('does not follow a next page at %s', async (next) => {
    const source = await open({ groups: { B: [] } });
    bitly.faults.push(null, null, new Answer(200, { links: [], pagination: { next } }));
    await expect(source.rows()).rejects.toThrow('returned a next page on another host');
    expect(bitly.asked.length).toBe(3);
  });

  it('stops if the next page is the current one', async () => {
    const source = await open({ groups: { B: [] } });
    const next = `${bitly.url}/v4/groups/B/bitlinks?size=100&archived=both`;
    bitly.faults.push(null, null, new Answer(200, { links: [], pagination: { next } }));
    await expect(source.rows()).rejects.toThrow('the current page');
  });

  it("checks Bitly's quota first, and sends no request after it is used up", async () => {
    const source = await open({ groups: { B: [aBitlyLink('a')] }, limit: { limit: 9, count: 9 } });
    await expect(source.rows()).rejects.toThrow(SourceTrouble);
    expect(bitly.asked.map(({ path }) => path)).toEqual(['/v4/user/platform_limits']);
    // Some Bitly plans do not have this endpoint.
    bitly.faults.push(new Answer(403, {}));
    expect(named(await source.rows())).toEqual(['1.0 a']);
  });

  it('repeats a step with the stored responses, and requests only the others', async () => {
    const source = await open({
      groups: { B: [aBitlyLink('a'), aBitlyLink('b')] },
      clicks: { 'bit.ly/a': { days: { '2025-01-02': 3 } } },
    });
    bitly.faults.push(null, null, null, FAULTS.busy);
    await expect(source.rows()).rejects.toThrow('received too many requests');
    expect(links(await source.rows()).map(({ pastClicks }) => pastClicks)).toEqual([3, 0]);
    const lists = bitly.asked.filter(({ path }) => path === '/v4/groups/B/bitlinks');
    expect(lists).toHaveLength(1);
  });

  it('fails with a wrong token', async () => {
    const source = await open({ groups: { B: [] } }, 'other');
    await expect(source.rows()).rejects.toThrow(CredentialRefusedError);
  });

  it.each(['redirect', 'html', 'otherShape', 'tooMuch'] as const)(
    'explains why a response is invalid: %s',
    async (fault) => {
      const source = await open({ groups: { B: [] } });
      bitly.faults.push(null, null, FAULTS[fault]);
      await expect(source.rows()).rejects.toThrow(SourceAnswerError);
    },
  );

  it('reports invalid links as unreadable, and continues', async () => {
    const hostile = [
      null,
      'text',
      { ...aBitlyLink('x'), custom_bitlinks: { a: 1 } },
      {
        ...aBitlyLink('y'),
        custom_bitlinks: Array.from({ length: 101 }, (_, i) => `https://b.test/${i}`),
      },
      { ...aBitlyLink('z'), id: 5, link: null },
      { ...aBitlyLink('long'), long_url: 'x'.repeat(70_000) },
      { ...aBitlyLink('dots'), id: 'bit.ly/..', link: 'https://bit.ly/..' },
    ];
    const source = await open({ groups: { B: [] } });
    bitly.faults.push(null, null, new Answer(200, { links: hostile, pagination: {} }));
    const rows = await source.rows();
    expect(rows.map((row) => ('problem' in row ? row.problem : row.alias))).toEqual([
      'no link',
      'no link',
      'custom_bitlinks is not a list',
      'more than 100 back-halves',
      '5',
      'a field is longer than 64 KiB',
      '..',
    ]);
    const { asked } = bitly;
    expect(asked.filter(({ path }) => path.startsWith('/v4/bitlinks'))).toEqual([]);
  });
});
