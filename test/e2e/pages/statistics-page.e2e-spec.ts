import JSZip from 'jszip';
import request from 'supertest';
import { aClick } from '../../support/shared/click.factory';
import { noonZone } from '../../support/statistics/noon-zone';
import { StatisticsWorld } from '../../support/statistics/statistics-world';
import { aV0Link, getPath, postForm } from '../../support/legacy-requests';
import { changePassword, makePrivate } from '../../support/shared/stored-link';
import { anAddress, inBytes, visit } from '../../support/http';

const PASSWORD = 'Geheim1@x';
const DAY = 86_400_000;

describe('the statistics page', () => {
  let world: StatisticsWorld;
  const { timezone, today, date } = noonZone();

  beforeAll(async () => {
    world = await StatisticsWorld.open();
  });
  afterAll(() => world.close());

  const idOf = async (alias: string): Promise<string> =>
    String((await world.connection.collection('links').findOne({ alias }))?._id);

  const totalsOf = (text: string): Record<string, string> =>
    Object.fromEntries(
      [...text.matchAll(/<dt>([^<]+)<\/dt>\s*<dd>([^<]+)<\/dd>/g)].map(([, name, value]) => [
        name ?? '',
        value ?? '',
      ]),
    );

  /** One click today; two, three, four and five clicks 3, 20, 80 and 200 days ago. */
  async function aLongLivedLink(alias: string): Promise<string> {
    const id = await world.link({ alias, created_at: new Date(today - 201 * DAY) });
    const clicks = [0, 3, 20, 80, 200].flatMap((daysAgo, i) =>
      Array.from({ length: i + 1 }, () => aClick({ at: today - daysAgo * DAY, city: 'Potsdam' })),
    );
    await world.record(id, clicks.reverse());
    return alias;
  }

  const show = (alias: string, query: Record<string, string> = {}) =>
    getPath(world.service, `/stats/${alias}`, { query });

  it('counts the requested range', async () => {
    const alias = await aLongLivedLink('long-lived');
    for (const [query, clicks, step] of [
      [{}, '15', 'week'],
      [{ range: 'all' }, '15', 'week'],
      [{ range: 'today' }, '1', 'hour'],
      [{ range: '7d' }, '3', 'day'],
      [{ range: '30d' }, '6', 'day'],
      [{ range: '90d' }, '10', 'day'],
      [{ from: date(80), to: date(20) }, '7', 'day'],
      [{ from: date(3), to: date(3) }, '2', 'hour'],
      [{ to: date(80) }, '9', 'week'],
    ] as [Record<string, string>, string, string][]) {
      const { status, text } = await show(alias, { ...query, timezone });
      expect(status).toBe(200);
      expect([query, totalsOf(text).Clicks]).toEqual([query, clicks]);
      expect(text).toContain(`<h2>Clicks per ${step}</h2>`);
      expect(text).toContain(`time zone ${timezone}`);
    }
    const hidden = await show(alias, { timezone, from: date(60), to: date(50) });
    expect(hidden.text).toContain('No clicks by people in this range.');
    expect(hidden.text).toContain('Show all 15 clicks');
  });

  it('splits days by the local time of the zone', async () => {
    const id = await world.link({ alias: 'zoned', created_at: new Date('2026-01-01T00:00:00Z') });
    await world.record(id, [
      aClick({ at: Date.parse('2026-03-28T22:59:00Z') }),
      aClick({ at: Date.parse('2026-03-28T23:01:00Z') }),
    ]);
    const query = { from: '2026-03-29', to: '2026-03-29' };
    const inUtc = (await show('zoned', query)).text;
    expect(inUtc).toContain('No clicks by people in this range.');
    expect(inUtc).toContain('time zone UTC');
    const berlin = await show('zoned', { ...query, timezone: 'Europe/Berlin' });
    expect(totalsOf(berlin.text).Clicks).toBe('1');
    expect(berlin.text).toContain('time zone Europe/Berlin');
    expect(berlin.text).toMatch(/<th scope="row">29 Mar 2026, 00:00<\/th>\s*<td class="number">1</);
  });

  it('lists cities, devices, campaigns, and merged referrers with common names', async () => {
    const id = await world.link({ alias: 'rich' });
    await world.record(id, [
      aClick({
        at: Date.now(),
        city: 'Potsdam',
        device: 'tablet',
        referrer: 'https://www.example.org',
        utmSource: 'newsletter',
        utmMedium: 'email',
        utmCampaign: 'autumn',
      }),
      aClick({ at: Date.now(), referrer: 'android-app://com.google.android.gm' }),
      aClick({ at: Date.now(), referrer: 'https://m.facebook.com', browser: 'Mobile Safari' }),
      aClick({ at: Date.now(), referrer: 'https://l.facebook.com', browser: 'Safari' }),
    ]);
    const { text } = await show('rich');
    for (const heading of ['Cities', 'Devices', 'Sources', 'Mediums', 'Campaigns']) {
      expect(text).toContain(`<h2>${heading}</h2>`);
    }
    for (const label of ['Potsdam', 'Tablet', 'newsletter', 'email', 'autumn', 'example.org']) {
      expect(text).toContain(`<bdi>${label}</bdi>`);
    }
    expect(text).toContain('<bdi>Gmail (Android)</bdi>');
    expect(text.match(/facebook\.com<|Safari</g)).toEqual(['facebook.com<', 'Safari<']);
    expect(text).not.toContain('Redirect time');
  });

  it('shows only the known properties of the last click', async () => {
    const at = Date.parse('2026-11-01T10:20:30Z');
    const known = await world.link({ alias: 'known', created_at: new Date(at - DAY) });
    await world.record(known, [aClick({ at, browser: 'Firefox', os: null, country: 'Chile' })]);
    expect(totalsOf((await show('known')).text.replaceAll(/<\/?bdi>/g, ''))['Last click']).toBe(
      '2026-11-01 10:20 UTC, Firefox, Chile',
    );
  });

  it('counts all visitors, people or bots, on the page and in its files', async () => {
    const id = await world.link({ alias: 'mixed' });
    await world.record(id, [
      aClick({ at: Date.now(), visitor: 'a'.repeat(24) }),
      aClick({ at: Date.now(), visitor: 'b'.repeat(24) }),
      aClick({ at: Date.now(), visitor: 'c'.repeat(24), botName: 'Googlebot' }),
    ]);
    for (const [audience, clicks, marked] of [
      ['all', '3', 'All'],
      ['human', '2', 'People'],
      ['bot', '1', 'Bots'],
    ] as const) {
      const { text } = await show('mixed', { audience });
      expect(totalsOf(text).Clicks).toBe(clicks);
      expect(text).toMatch(new RegExp(`aria-current="true"\\s*>${marked}<`));
      const file = await getPath(world.service, '/stats/mixed/download', {
        query: { format: 'json', audience },
      });
      const report = file.body as { summary: { total_clicks: number } };
      expect(report.summary.total_clicks).toBe(Number(clicks));
    }
    expect(totalsOf((await show('mixed', { audience: 'all' })).text)['Clicks by bots']).toBe(
      '1 (33\u00a0%)',
    );
    const { text } = await show('mixed');
    expect(totalsOf(text)['Clicks per visitor']).toBe('1');
    expect(text).not.toContain('Googlebot');
    expect(text).toContain('/stats/mixed/download?format=csv');
  });

  it('never reveals the destination of a closed link', async () => {
    const code = await aV0Link(world.service, { url: 'https://gone.example/x', 'max-clicks': '1' });
    expect((await show(code)).text).toContain('href="https://gone.example/x"');
    await visit(world.service, code);
    const { text } = await show(code);
    expect(text).not.toContain('gone.example');
    expect(text).toContain('The link no longer leads anywhere.');
  });

  it('explains problems of a parameter and keeps the input', async () => {
    const code = await aV0Link(world.service);
    for (const [query, status, text] of [
      [{ range: 'year' }, 422, 'range must be one of today, 7d, 30d, 90d, all'],
      [{ audience: 'robots' }, 422, 'audience must be one of all, human, preview, bot'],
      [{ from: '2026-02-30', to: '2026-03-04' }, 400, '2026-02-30 is not a date'],
      [{ from: '2026-03-05', to: '2026-03-04' }, 400, 'later than the last'],
      [{ to: '2026-03-04', timezone: 'Middle/Earth' }, 400, 'Unknown time zone'],
      [{ timezone: 'x'.repeat(51) }, 422, 'at most 50 characters'],
    ] as [Record<string, string>, number, string][]) {
      for (const path of [`/stats/${code}`, `/stats/${code}/download`]) {
        const page = await getPath(world.service, path, { query: { format: 'csv', ...query } });
        expect([query, page.status]).toEqual([query, status]);
        expect(page.headers['x-error-code']).toBe('validation_error');
        expect(page.headers['content-type']).toContain('text/html');
        expect(page.text).toContain(text);
        expect(page.text).toContain(`action="/stats/${code}"`);
        if (query.to !== undefined) expect(page.text).toContain(`value="${query.to}"`);
      }
    }
    const hostile = await show(code, { from: `"'><img src=x>`, timezone: '<script>1</script>' });
    expect(hostile.status).toBe(400);
    expect(hostile.text).not.toMatch(/<img|<script/);
  });

  it('does not affect the v0 object, which has no parameters', async () => {
    const alias = await aLongLivedLink('whole');
    const query = { range: 'bogus', audience: 'bogus', from: 'bogus' };
    const { status, body } = await postForm(world.service, `/stats/${alias}`, {}, { query });
    expect(status).toBe(200);
    expect(body['total-clicks']).toBe(15);
  });

  describe('/stats/{code}/download', () => {
    const download = (alias: string, query: Record<string, string>, headers = {}) =>
      inBytes(
        request(world.service.url)
          .get(`/stats/${alias}/download`)
          .set({ 'X-Forwarded-For': anAddress(), ...headers })
          .query(query),
      );

    it('exports the displayed data in the v1 format, in a file named after the link', async () => {
      const alias = await aLongLivedLink('in-files');
      const json = await download(alias, { format: 'json', range: '7d' });
      expect(json.status).toBe(200);
      expect(json.headers['content-disposition']).toBe(
        'attachment; filename="curtail-export-in-files.json"',
      );
      expect(json.headers['cache-control']).toBe('no-store');
      const report = JSON.parse((json.body as Buffer).toString()) as {
        summary: { total_clicks: number };
        metrics: Record<string, object[]>;
        [key: string]: unknown;
      };
      expect(report).toMatchObject({ scope: 'anon', short_code: alias, api_version: 'v1' });
      expect(report.summary.total_clicks).toBe(3);
      expect(report.metrics.clicks_by_time).toHaveLength(7);
      expect(report.metrics.clicks_by_city).toEqual([
        { city: 'Potsdam', clicks: 3, clicks_percentage: 100 },
      ]);
      expect(Object.keys(report.metrics)).toContain('unique_clicks_by_utm_campaign');
    });

    it('contains raw values, in one CSV file per list', async () => {
      const id = await world.link({ alias: 'plainly' });
      await world.record(id, [aClick({ at: Date.now(), referrer: 'https://www.google.com' })]);
      const { headers, body } = await download('plainly', { format: 'csv' });
      expect(headers['content-disposition']).toBe(
        'attachment; filename="curtail-export-plainly-csv.zip"',
      );
      const zip = await JSZip.loadAsync(body as Buffer);
      const text = await zip.file('clicks_by_referrer.csv')?.async('string');
      expect(text).toContain('https://www.google.com');
      expect(text).not.toContain('_google_');
      expect(text).not.toContain('\ufeff');
      const marked = await download('plainly', { format: 'csv', bom: 'true' });
      const summary = (await JSZip.loadAsync(marked.body as Buffer)).file('summary.csv');
      expect((await summary?.async('nodebuffer'))?.indexOf('\ufeff')).toBe(0);
    });

    it.each([
      ['xlsx', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'],
      ['xml', 'application/xml'],
    ])('is available as %s', async (format, type) => {
      const code = await aV0Link(world.service);
      const { status, headers } = await download(code, { format });
      expect(status).toBe(200);
      expect(headers['content-type']).toBe(type);
      expect(headers['x-ratelimit-limit']).toBe('10');
    });

    it('rejects another format, and all input that the page rejects', async () => {
      const code = await aV0Link(world.service);
      for (const query of [{}, { format: 'pdf' }, { format: 'CSV' }]) {
        const page = await getPath(world.service, `/stats/${code}/download`, { query });
        expect(page.status).toBe(422);
        expect(page.text).toContain('format must be one of csv, xlsx, json, xml');
      }
      const query = { format: 'csv', bom: 'yes' };
      const page = await getPath(world.service, `/stats/${code}/download`, { query });
      expect(page.status).toBe(422);
      expect(page.text).toContain('bom must be true or false');
      await makePrivate(world.connection, code);
      for (const alias of ['nobody', code]) {
        const page = await getPath(world.service, `/stats/${alias}/download?format=csv`);
        expect(page.status).toBe(404);
        expect(page.headers['content-disposition']).toBeUndefined();
      }
    });

    it('allows 10 requests a minute per address, separate from the page', async () => {
      const address = anAddress();
      const ask = () => getPath(world.service, '/stats/nobody/download?format=csv', { address });
      for (let i = 0; i < 10; i++) expect((await ask()).status).toBe(404);
      const refused = await ask();
      expect(refused.status).toBe(429);
      expect(refused.text).toMatch(/try again in \d+ seconds?/);
      expect((await getPath(world.service, '/stats/nobody', { address })).status).toBe(404);
    });
  });

  describe('for a link with a password', () => {
    const cookieOf = (answer: request.Response): string =>
      (answer.get('Set-Cookie') ?? []).map((line) => line.split(';')[0] ?? '').join('; ');

    async function unlocked(code: string): Promise<string> {
      const page = await postForm(
        world.service,
        `/stats/${code}`,
        { password: PASSWORD },
        { accept: 'text/html' },
      );
      expect(page.status).toBe(200);
      return cookieOf(page);
    }

    it('asks for it once, and then shows ranges and files for a limited time', async () => {
      const code = await aV0Link(world.service, { password: PASSWORD });
      const asked = await getPath(world.service, `/stats/${code}?range=7d`);
      expect(asked.status).toBe(400);
      expect(asked.text).toContain(`action="/stats/${code}?range=7d"`);
      const page = await postForm(
        world.service,
        `/stats/${code}?range=7d`,
        { password: PASSWORD },
        { accept: 'text/html' },
      );
      expect(page.status).toBe(200);
      const [set = ''] = page.get('Set-Cookie') ?? [];
      expect(set).toMatch(/^statistics_pass=[\w.-]+; Max-Age=1800; Path=\/stats\//);
      expect(set).toContain('HttpOnly');
      expect(set).toContain('SameSite=Lax');
      expect(set).toContain(`Path=/stats/${code};`);
      const headers = { Cookie: cookieOf(page) };
      for (const path of ['?range=30d', '', '/download?format=json']) {
        const { status } = await getPath(world.service, `/stats/${code}${path}`, { headers });
        expect([path, status]).toEqual([path, 200]);
      }
    });

    it('accepts that cookie for no other link, for no redirect, and not after a change', async () => {
      const [code, other] = [
        await aV0Link(world.service, { password: PASSWORD }),
        await aV0Link(world.service, { password: PASSWORD }),
      ];
      const headers = { Cookie: await unlocked(code) };
      expect((await getPath(world.service, `/stats/${other}`, { headers })).status).toBe(400);
      expect((await visit(world.service, code, headers)).status).toBe(401);
      await changePassword(world.connection, code, other);
      expect((await getPath(world.service, `/stats/${code}`, { headers })).status).toBe(400);
    });

    it('accepts no forged cookie', async () => {
      const code = await aV0Link(world.service, { password: PASSWORD });
      const [name = '', value = ''] = (await unlocked(code)).split('=');
      const [end = '', signature = ''] = value.split('.');
      const later = (parseInt(end, 36) + 60).toString(36);
      for (const forged of [`${later}.${signature}`, `${end}.${'A'.repeat(43)}`, end, '', 'x.y']) {
        const headers = { Cookie: `${name}=${forged}` };
        expect((await getPath(world.service, `/stats/${code}`, { headers })).status).toBe(400);
      }
    });

    it('sets no cookie for programs', async () => {
      const code = await aV0Link(world.service, { password: PASSWORD });
      const json = await postForm(world.service, `/stats/${code}`, { password: PASSWORD });
      expect(json.status).toBe(200);
      expect(json.headers['set-cookie']).toBeUndefined();
    });

    it('returns the file to a client that sends the password by POST', async () => {
      const code = await aV0Link(world.service, { password: PASSWORD });
      const path = `/stats/${code}/download?format=json&range=7d`;
      const asked = await getPath(world.service, path);
      expect(asked.status).toBe(400);
      expect(asked.text).toContain(`action="/stats/${code}/download?format=json&amp;range=7d"`);
      const file = await postForm(world.service, path, { password: PASSWORD });
      expect(file.status).toBe(200);
      expect(file.headers['content-disposition']).toContain(`curtail-export-${code}.json`);
    });
  });

  it('with emoji has a separate path for its cookie and its files', async () => {
    await postForm(world.service, '/emoji', {
      url: 'https://example.com/',
      emojies: '🦉',
      password: PASSWORD,
    });
    const path = `/stats/${encodeURIComponent('🦉')}`;
    const page = await postForm(
      world.service,
      path,
      { password: PASSWORD },
      { accept: 'text/html' },
    );
    expect(page.get('Set-Cookie')?.[0]).toContain(`Path=${path};`);
    await world.record(await idOf('🦉'), [aClick({ at: Date.now() })]);
    const query = { password: PASSWORD };
    const again = await getPath(world.service, path, { query });
    expect(again.text).toContain(`href="${path}/download?format=csv"`);
    expect(again.text).not.toContain(PASSWORD);
  });
});
