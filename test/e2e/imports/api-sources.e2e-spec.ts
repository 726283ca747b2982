import { ApiClient } from '../../support/api-client';
import { aBitlyLink, type BitlyAccount, bitlyService } from '../../support/imports/bitly-service';
import { FAULTS, type JsonService } from '../../support/imports/json-service';
import { aKuttLink, kuttService } from '../../support/imports/kutt-service';
import { aSpooLink, spooService } from '../../support/imports/spoo-service';
import { eventually, type Service, startService } from '../../support/service';

const KEY = 'key-that-nobody-may-read';

interface ImportBody {
  readonly id: string;
  readonly state: string;
  readonly counts: Record<string, number>;
  readonly history: Record<string, number>;
  readonly proof: { differences: number } | null;
  readonly error: { code: string; error: string } | null;
}

describe('imports from the APIs of Bitly, Kutt and spoo.me', () => {
  let service: Service;
  let owner: ApiClient;
  let source: JsonService | undefined;

  beforeAll(async () => {
    service = await startService();
  });
  beforeEach(async () => {
    owner = await ApiClient.on(service);
  });
  afterEach(() => source?.stop());
  afterAll(() => service.stop());

  async function ended(id: string): Promise<ImportBody> {
    let now: ImportBody | undefined;
    await eventually('the import has ended', async () => {
      now = (await owner.call('get', `/api/v1/imports/${id}`)).body as ImportBody;
      return ['done', 'failed'].includes(now.state);
    });
    return now as unknown as ImportBody;
  }
  async function begun(word: string, base_url: string, options: object = {}): Promise<ImportBody> {
    const body = { source: word, base_url, credential: KEY, options };
    const made = await owner.call('post', '/api/v1/imports', body);
    expect([made.status, made.body]).toEqual([202, expect.objectContaining({ kind: 'import' })]);
    return ended((made.body as ImportBody).id);
  }
  async function run(id: string): Promise<ImportBody> {
    expect((await owner.call('post', `/api/v1/imports/${id}/run`, {})).status).toBe(202);
    return ended(id);
  }
  const statistics = async (query: string) =>
    (await owner.call('get', `/api/v1/stats?scope=all&${query}`)).body as {
      imported?: { clicks: number; granularity: string; by: Record<string, unknown>; cut: boolean };
      summary: { total_clicks: number };
    };

  it('import links from Kutt with their totals', async () => {
    const links = Array.from({ length: 120 }, (_, i) =>
      aKuttLink(`k${process.pid}-${i}`, { visit_count: i % 3, description: `No. ${i}` }),
    );
    links[7] = { ...links[7]!, banned: true };
    links[8] = { ...links[8]!, password: true };
    const kutt = kuttService(links, KEY);
    source = kutt;
    const made = await begun('kutt_api', await kutt.start(), { dry_run: false });
    expect(made).toMatchObject({
      state: 'done',
      counts: { created: 119, protected_inactive: 1 },
      history: { clicks: 0, counted_clicks: 120 },
      requests: 3,
      proof: { differences: 0 },
    });
    expect(kutt.mostAtOnce).toBeLessThanOrEqual(4);
    const { items } = (
      await owner.list({ pageSize: 100, filter: JSON.stringify({ search: '-7' }) })
    ).body as {
      items: { alias: string; status: string; note: string; long_url: string }[];
    };
    const [one] = items.filter(({ alias }) => alias.endsWith('-7'));
    expect(one).toMatchObject({ status: 'INACTIVE', note: 'No. 7' });
    expect(service.log()).not.toContain(KEY);
  });

  it('import links from Bitly, with back-halves and clicks by day and dimension', async () => {
    const code = `b${process.pid}`;
    const account: BitlyAccount = {
      groups: {
        B1: [
          aBitlyLink(`${code}a`, { custom_bitlinks: [`https://bit.ly/${code}-mine`] }),
          aBitlyLink(`${code}b`, { archived: true }),
          aBitlyLink(`${code}c`, { long_url: 'ftp://a.test' }),
        ],
        B2: [aBitlyLink(`${code}d`)],
      },
      clicks: {
        [`bit.ly/${code}a`]: {
          days: { '2025-01-02': 3, '2025-01-03': 4 },
          countries: { SK: 7 },
          referrers: { direct: 7 },
        },
      },
      plan: ['countries', 'referrers'],
    };
    source = bitlyService(account, KEY);
    const checked = await begun('bitly_api', await source.start());
    expect(checked).toMatchObject({
      state: 'done',
      counts: { created: 4, destination_unsupported: 1 },
      history: { clicks: 0, counted_clicks: 7, links_with_history: 1 },
    });
    source.faults.push(FAULTS.broken, FAULTS.unavailable);
    expect(await run(checked.id)).toMatchObject({
      state: 'done',
      counts: { created: 4, destination_unsupported: 1 },
      history: { counted_clicks: 7 },
      proof: { differences: 0 },
    });
    const { imported, summary } = await statistics(`short_code=${code}-mine`);
    expect(summary.total_clicks).toBe(0);
    expect(imported).toMatchObject({
      clicks: 7,
      granularity: 'day',
      by: {
        country: [{ value: 'Slovakia', clicks: 7 }],
        referrer: [{ value: 'Direct', clicks: 7 }],
      },
      cut: false,
    });
    expect((await statistics(`short_code=${code}a`)).imported).toBeUndefined();

    // Importing again creates no links.
    const again = await begun('bitly_api', source.url, { dry_run: false });
    expect(again).toMatchObject({ state: 'done', counts: { unchanged: 4 } });
    expect(service.log()).not.toContain(KEY);
  });

  it('import links from spoo.me with their statistics', async () => {
    const code = `s${process.pid}`;
    const clicks = ['2024-05-06T10:00:00.000Z', '2024-11-30T23:59:59.000Z'].map((at) => ({
      ...{ at, browser: 'Chrome', os: 'iOS', device: 'mobile' },
      ...{ country: 'Chad', city: 'Abeche', referrer: 'Direct' },
    }));
    const links = Array.from({ length: 120 }, (_, i) => aSpooLink(`${code}-${i}`));
    links[0] = aSpooLink(`${code}-0`, { total_clicks: 2, last_click: clicks[1]?.at });
    links[1] = aSpooLink(`${code}-1`, { password_set: true, block_bots: true });
    source = spooService(links, { [`${code}-0`]: clicks }, KEY);
    const made = await begun('spoo_api', await source.start(), { dry_run: false });
    expect(made).toMatchObject({
      state: 'done',
      counts: { created: 119, protected_inactive: 1 },
      history: { counted_clicks: 2 },
      proof: { differences: 0 },
    });
    expect((await statistics(`short_code=${code}-0`)).imported).toMatchObject({
      clicks: 2,
      granularity: 'day',
      by: { device: [{ value: 'mobile', clicks: 2 }], city: [{ value: 'Abeche', clicks: 2 }] },
      cut: false,
    });
  });

  it('fail with a rejected key, which is never shown', async () => {
    source = bitlyService({ groups: {}, clicks: {}, plan: [] }, 'another');
    const made = await begun('bitly_api', await source.start());
    expect(made).toMatchObject({ state: 'failed', error: { code: 'authentication_error' } });
    expect(JSON.stringify(made)).not.toContain(KEY);
    expect(service.log()).not.toContain(KEY);
  });

  it('fail if the service returns an unexpected response', async () => {
    source = spooService([], {}, KEY);
    source.faults.push(FAULTS.html);
    const made = await begun('spoo_api', await source.start());
    expect(made).toMatchObject({ state: 'failed', error: { code: 'validation_error' } });
  });
});
