import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import request from 'supertest';
import { AppBrowser, settled } from '../../support/app/app-browser';
import { describeInBrowser } from '../../support/browser';
import { aVerifiedAccount, type TestAccount } from '../../support/factories/accounts';
import { SCRIPT, QUOTES } from '../../support/hostile-texts';
import { bearer } from '../../support/http';
import { eventually } from '../../support/shared/eventually';
import { aClick } from '../../support/shared/click.factory';
import { limitsFile } from '../../support/limits';
import { noonZone } from '../../support/statistics/noon-zone';
import { StatisticsWorld } from '../../support/statistics/statistics-world';

const DAY = 86_400_000;

/** A screen is complete if it has made no requests for this long. */
const QUIET_MS = 500;

describeInBrowser('statistics in the app', () => {
  let world: StatisticsWorld;
  let browser: AppBrowser;
  let account: TestAccount;
  let page: Page;
  let id: string;

  beforeAll(async () => {
    const limits = { 'stats.account': 'off', 'stats.link': 'off', 'links.read': 'off' };
    world = await StatisticsWorld.open({ LIMITS_FILE: limitsFile(limits) });
    account = await aVerifiedAccount(world.service);
    const made = await request(world.service.url)
      .post('/api/v1/shorten')
      .set(bearer(account.accessToken))
      .send({
        long_url: `https://example.com/?q=${encodeURIComponent(SCRIPT)}"><svg/onload=alert(1)>`,
        alias: 'counted',
      });
    expect(made.status).toBe(201);
    id = made.body.id;
    const now = Date.now() - 60_000;
    const click = (i: number, changes: object = {}) =>
      aClick({
        at: Math.floor(now - i * DAY),
        visitor: (i + 1).toString(16).padStart(24, '0'),
        country: i % 3 === 0 ? 'Germany' : 'Japan',
        referrer: i === 1 ? `https://${'x'.repeat(60)}.example` : 'https://news.example.com',
        ...changes,
      });
    const clicks = [
      // Twelve clicks in the last seven days, six in the previous seven.
      ...Array.from({ length: 6 }, (_, i) => click(i)),
      ...Array.from({ length: 6 }, (_, i) =>
        click(i, { visitor: `f${i}`.padStart(24, '0'), utmSource: SCRIPT, utmCampaign: QUOTES }),
      ),
      ...Array.from({ length: 6 }, (_, i) => click(i + 7, { botName: 'Googlebot' })),
    ];
    await world.record(
      id,
      clicks.sort((a, b) => a.at - b.at),
    );
    browser = await AppBrowser.open(world.service);
    page = browser.page;
    await browser.signIn(account);
  });
  afterAll(async () => {
    await browser.close();
    await world.close();
  });
  afterEach(() => expect(browser.complaints()).toEqual([]));

  const total = () => page.locator('.statistics .totals dd').first().innerText();
  const showsTotal = (count: number) =>
    page
      .locator('.statistics .totals dd')
      .first()
      .getByText(String(count), { exact: true })
      .waitFor();

  it('show the selected range, compare it with the previous one, and keep it in the address', async () => {
    await browser.go(`/links/${id}`);
    expect(await total()).toBe('12');
    await page.getByText('Excluded: 6 by bots.').waitFor();
    await page.getByRole('button', { name: /Range/ }).click();
    await page.getByRole('button', { name: 'Last 7 days' }).click();
    await page.waitForURL(/range=7d/);
    await page.getByRole('radio', { name: 'All' }).check();
    await showsTotal(12);
    await page.getByRole('button', { name: 'Compare' }).click();
    const than = '▲ 100% more than at this point in the previous 7 days';
    await page.getByText(than).first().waitFor();
    expect(page.url()).toBe(browser.at(`/dashboard/links/${id}?range=7d&audience=all&compare=yes`));
    await page.getByText('Show as table').click();
    expect(await page.locator('table.numbers tbody tr').count()).toBe(7);
    await page.reload();
    await page.getByText(than).first().waitFor();
  });

  it('use calendar days in a chosen zone', async () => {
    const { timezone, date } = noonZone();
    const [zone, day] = [encodeURIComponent(timezone), date(9)];
    await browser.go(`/links/${id}?zone=${zone}`);
    await page.getByRole('button', { name: /Range/ }).click();
    await page.locator('.range-menu').getByLabel('From').fill(day);
    await page.locator('.range-menu').getByLabel('To').fill(day);
    await page.getByRole('button', { name: 'Show these days' }).click();
    await page.waitForURL(`**/${id}?zone=${zone}&range=custom&from=${day}&to=${day}`);
    await page.getByRole('button', { name: /Range/ }).click();
    await page.getByLabel('Time zone').selectOption('Asia/Tokyo');
    await page.waitForURL(/zone=Asia%2FTokyo/);
    await page.keyboard.press('Escape');
    await settled(page);
    await browser.go(`/links/${id}?zone=Nowhere%2FLand&range=custom&from=2026-02-31&to=x`);
    expect(await total()).toBe('12');
    await page.getByText('Time zone: UTC').waitFor();
  });

  it('are filtered by a click on a row, by people and bots, and say if nothing matches', async () => {
    await browser.go(`/links/${id}`);
    await page.getByRole('button', { name: 'Germany' }).click();
    await showsTotal(4);
    await page.getByRole('radio', { name: 'Bots' }).check();
    await showsTotal(2);
    expect(new URL(page.url()).search).toBe('?f.country=Germany&audience=bot');
    await browser.go(`/links/${id}?f.country=Nowhere`);
    await page.getByText('No clicks found').waitFor();
    await page.getByRole('main').getByRole('button', { name: 'Clear filters' }).last().click();
    await showsTotal(12);
  });

  it.each(['/analytics', '/links/'])(
    'have every dimension as a table, and as a file (%s)',
    async (path) => {
      await browser.go(`${path === '/analytics' ? path : path + id}?audience=all`);
      const dimensions = [
        'Source',
        'Medium',
        'Campaign',
        'Referrer',
        'City',
        'Country',
        'OS',
        'Device',
        'Browser',
      ];
      for (const name of dimensions) {
        await page.locator('.tabs').getByRole('button', { name, exact: true }).click();
        expect(
          await page
            .getByRole('table', { name: `Clicks by ${name}` })
            .locator('tbody tr')
            .count(),
        ).toBeGreaterThan(0);
      }
      if (path === '/analytics') await page.getByRole('button', { name: 'counted' }).waitFor();
      const file = page.waitForEvent('download');
      await page.getByRole('button', { name: 'Export' }).click();
      await page.getByRole('button', { name: 'JSON' }).click();
      const download = await file;
      expect(download.suggestedFilename()).toMatch(/^curtail-export.*\.json$/);
      const content = JSON.parse(readFileSync(await download.path(), 'utf8'));
      expect(content.summary.total_clicks).toBe(18);
      expect(content.metrics.clicks_by_utm_source).toHaveLength(2);
    },
  );

  it('show hostile values as text', async () => {
    await browser.go(`/links/${id}`);
    await page.locator('.tabs').getByRole('button', { name: 'Source' }).click();
    await page.getByRole('button', { name: SCRIPT }).click();
    await page.locator('.chips').getByText(SCRIPT).waitFor();
    await showsTotal(6);
    await page.locator('.tabs').getByRole('button', { name: 'Campaign' }).click();
    await page.getByRole('button', { name: QUOTES }).waitFor();
    await page.getByText('svg/onload=alert(1)').first().waitFor();
    expect(await page.locator('main script, main img, main [onload], main [onerror]').count()).toBe(
      0,
    );
  });

  it('exclude bots, show the number of bot clicks, and include them on request', async () => {
    await browser.go(`/links/${id}`);
    expect(await total()).toBe('12');
    await page.getByText('Excluded: 6 by bots.').waitFor();
    await page.getByRole('button', { name: 'Show all', exact: true }).click();
    await showsTotal(18);
    expect(new URL(page.url()).search).toBe('?audience=all');
    await page.getByText('Including 6 by bots.').waitFor();
    const visits = page.getByRole('region', { name: 'Visits' });
    await visits.getByRole('button', { name: 'Bots' }).click();
    await showsTotal(6);
    await page.getByText('Excluded: 12 by people.').waitFor();
    expect(await page.getByRole('radio', { name: 'Bots' }).isChecked()).toBe(true);
    await visits.getByRole('button', { name: 'Trigger' }).click();
    await visits.getByRole('button', { name: 'Link' }).click();
    await page.waitForURL(/f\.trigger=link/);
    expect(await visits.getByRole('button', { name: 'Link' }).getAttribute('aria-pressed')).toBe(
      'true',
    );
  });

  it('have hours for a day, and show figures for pointer, touch and keyboard', async () => {
    const zone = encodeURIComponent(noonZone().timezone);
    await browser.go(`/links/${id}?range=7d&interval=hour&zone=${zone}`);
    await page.getByRole('heading', { name: 'Clicks per hour' }).waitFor();
    await browser.go(`/links/${id}?range=yesterday&zone=${zone}`);
    await page.getByRole('heading', { name: 'Clicks per hour' }).waitFor();
    await page.getByText('Show as table').click();
    expect(await page.locator('table.numbers tbody tr').count()).toBe(24);
    await browser.go(`/links/${id}?range=7d&zone=${zone}`);
    const chart = page.getByRole('group', { name: /Chart/ });
    const tip = chart.getByRole('status');
    await chart.focus();
    await page.keyboard.press('ArrowLeft');
    await tip.getByText('(so far)').waitFor();
    await tip.getByText('2 visitors').waitFor();
    await page.keyboard.press('Home');
    expect(await tip.innerText()).not.toContain('so far');
    await page.keyboard.press('Escape');
    expect(await tip.innerText()).toBe('');
    const box = await chart.boundingBox();
    if (box === null) throw new Error('The chart is not drawn');
    const touch = { pointerType: 'touch', bubbles: true, clientX: box.x + box.width - 4 };
    await chart.dispatchEvent('pointerdown', { ...touch, clientX: box.x + 4 });
    await tip.getByText('0 visitors').waitFor();
    expect(await tip.innerText()).not.toContain('so far');
    await chart.dispatchEvent('pointermove', touch);
    await tip.getByText('(so far)').waitFor();
    // Lifting a finger keeps the figures; a tap elsewhere hides them.
    await chart.dispatchEvent('pointerleave', touch);
    expect(await tip.innerText()).toContain('(so far)');
    await page.locator('h1').dispatchEvent('pointerdown', touch);
    await tip.getByText('so far').waitFor({ state: 'detached' });
    // At the top of the column, far above its bar.
    await page.mouse.move(box.x + box.width - 4, box.y + 2);
    await tip.getByText('(so far)').waitFor();
    await page.mouse.move(box.x, box.y - 100);
    await tip.getByText('so far').waitFor({ state: 'detached' });
    await page.mouse.click(box.x + box.width - 4, box.y + 60);
    await page.waitForURL(/range=custom/);
    await showsTotal(2);
  });

  it('keep the open lists and the interval in the address', async () => {
    await browser.go(`/links/${id}?range=90d`);
    await page.locator('.tabs').getByRole('button', { name: 'Campaign' }).click();
    await page.locator('.tabs').getByRole('button', { name: 'City' }).click();
    await page.getByLabel('Interval').selectOption('month');
    await page.getByRole('heading', { name: 'Clicks per month' }).waitFor();
    expect(new URL(page.url()).search).toBe('?range=90d&by=campaign&by=city&interval=month');
    await page.reload();
    await page.getByRole('table', { name: 'Clicks by Campaign' }).waitFor();
    await page.getByRole('table', { name: 'Clicks by City' }).waitFor();
    await page.getByRole('heading', { name: 'Clicks per month' }).waitFor();
  });

  it('keep the other values in the list of a dimension that is used as a filter', async () => {
    await browser.go(`/links/${id}`);
    await page.getByRole('button', { name: 'Germany' }).click();
    await showsTotal(4);
    await page.getByRole('button', { name: 'Japan' }).click();
    await showsTotal(12);
    expect(new URL(page.url()).searchParams.getAll('f.country')).toEqual(['Germany', 'Japan']);
  });

  it('explain which parameters campaigns are counted from if there are none', async () => {
    await browser.go(`/links/${id}?by=medium`);
    await page.getByText('Read from utm_medium in the opened short link').waitFor();
    await browser.go(`/links/${id}?by=source`);
    await page.getByRole('table', { name: 'Clicks by Source' }).waitFor();
    expect(await page.getByText('Read from utm_source').count()).toBe(0);
  });

  it.each(['Nowhere/Land', '+01:00', 'Etc/Unknown', ''])(
    'use UTC, and say so, if a time zone is unknown (%s in the address)',
    async (zone) => {
      await browser.go(`/links/${id}?zone=${encodeURIComponent(zone)}`);
      expect(await total()).toBe('12');
      await page.getByText(/Time zone: UTC/).waitFor();
    },
  );

  it('draw no chart without clicks', async () => {
    await browser.go(`/links/${id}?f.country=Nowhere`);
    await page.getByText('No clicks found').waitFor();
    expect(await page.locator('.chart').count()).toBe(0);
  });

  it('reload lists only if totals change, and reload nothing in a hidden tab', async () => {
    const context = page.context();
    const other = await context.newPage();
    await other.clock.install();
    const asked: string[] = [];
    other.on('request', (sent) => {
      const address = new URL(sent.url());
      if (!address.pathname.startsWith('/api/v1/stats')) return;
      asked.push(address.searchParams.get('group_by') ?? '');
    });
    let [open, changedAt] = [0, performance.now()];
    const count = (by: 1 | -1) => () => {
      [open, changedAt] = [open + by, performance.now()];
    };
    other.on('request', count(1)).on('requestfinished', count(-1)).on('requestfailed', count(-1));
    await browser.go(`/links/${id}`, other);
    await other.locator('.breakdown').first().waitFor();
    const isQuiet = () => open === 0 && performance.now() - changedAt > QUIET_MS;
    await eventually('all lists are there', isQuiet);
    asked.length = 0;
    const next = () => other.waitForResponse((answer) => answer.url().includes('group_by=time&'));
    let answered = next();
    await other.clock.runFor(31_000);
    await answered;
    expect(asked).toEqual(['time']);
    await world.record(id, [aClick({ at: Date.now() - 1000, country: 'Chile' })]);
    answered = next();
    await other.clock.runFor(31_000);
    await answered;
    await other.getByRole('button', { name: 'Chile' }).waitFor();
    await eventually('all lists are there again', isQuiet);
    asked.length = 0;
    await other.evaluate("Object.defineProperty(document, 'hidden', { value: true })");
    await other.clock.runFor(95_000);
    expect(asked).toEqual([]);
    await other.close();
  });

  it('the list of links is also available as a file', async () => {
    await browser.go('/links');
    const file = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export' }).click();
    await page.getByRole('button', { name: 'CSV' }).click();
    const text = readFileSync(await (await file).path(), 'utf8');
    // Without the byte-order mark, Excel assumes a regional encoding.
    expect(text.startsWith('\ufeff')).toBe(true);
    expect(text).toContain('counted');
  });
});
