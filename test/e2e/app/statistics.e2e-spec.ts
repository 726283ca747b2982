import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import request from 'supertest';
import { AppBrowser, settled } from '../../support/app/app-browser';
import { describeInBrowser } from '../../support/browser';
import { aVerifiedAccount, type TestAccount } from '../../support/factories/accounts';
import { SCRIPT, QUOTES } from '../../support/hostile-texts';
import { bearer } from '../../support/http';
import { aClick } from '../../support/statistics/click.factory';
import { StatisticsWorld } from '../../support/statistics/statistics-world';

const DAY = 86_400_000;
const PATIENCE = 120_000;

describeInBrowser('statistics in the app', () => {
  let world: StatisticsWorld;
  let browser: AppBrowser;
  let account: TestAccount;
  let page: Page;
  let id: string;

  beforeAll(async () => {
    world = await StatisticsWorld.open();
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
        visitor: i.toString(16).padStart(24, '0'),
        country: i % 3 === 0 ? 'Germany' : 'Japan',
        referrer: i === 1 ? `https://${'x'.repeat(60)}.example` : 'https://news.example.com',
        ...changes,
      });
    const clicks = [
      // Twelve in the last seven days, six in the seven before.
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
  }, PATIENCE);
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

  it('show the range that is picked, compare it with the one before, and are the address', async () => {
    await browser.go(`/links/${id}`);
    expect(await total()).toBe('18');
    await page.getByRole('button', { name: /Range/ }).click();
    await page.getByRole('button', { name: 'Last 7 days' }).click();
    await showsTotal(12);
    await page.getByRole('button', { name: 'Compare' }).click();
    await page.getByText('▲ 100\u00a0% more than before').first().waitFor();
    expect(page.url()).toBe(browser.at(`/dashboard/links/${id}?range=7d&compare=yes`));
    await page.getByText('The same as a table').click();
    expect(await page.locator('table.numbers tbody tr').count()).toBe(7);
    await page.reload();
    await page.getByText('▲ 100\u00a0% more than before').first().waitFor();
  });

  it('take days of the calendar in a zone that is chosen', async () => {
    const day = new Date(Date.now() - 9 * DAY).toISOString().slice(0, 10);
    await browser.go(`/links/${id}?zone=UTC`);
    await page.getByRole('button', { name: /Range/ }).click();
    await page.locator('.range-menu').getByLabel('From').fill(day);
    await page.locator('.range-menu').getByLabel('To').fill(day);
    await page.getByRole('button', { name: 'Show these days' }).click();
    await page.waitForURL(`**/${id}?zone=UTC&range=custom&from=${day}&to=${day}`);
    await page.getByRole('button', { name: /Range/ }).click();
    await page.getByLabel('Time zone').selectOption('Asia/Tokyo');
    await page.waitForURL(/zone=Asia%2FTokyo/);
    await page.keyboard.press('Escape');
    await settled(page);
    await browser.go(`/links/${id}?zone=Nowhere%2FLand&range=custom&from=2026-02-31&to=x`);
    expect(await total()).toBe('18');
  });

  it('are filtered by a click on a row, by people and bots, and say when nothing is left', async () => {
    await browser.go(`/links/${id}`);
    await page.getByRole('button', { name: 'Germany' }).click();
    await showsTotal(6);
    await page.getByRole('radio', { name: 'Bots' }).check();
    await showsTotal(2);
    expect(new URL(page.url()).search).toBe('?f.country=Germany&audience=bot');
    await browser.go(`/links/${id}?f.country=Nowhere`);
    await page.getByText('No clicks here').waitFor();
    await page.getByRole('main').getByRole('button', { name: 'Clear filters' }).last().click();
    await showsTotal(18);
  });

  it.each(['/analytics', '/links/'])(
    'have every dimension as a table, and a file of it (%s)',
    async (path) => {
      await browser.go(path === '/analytics' ? path : path + id);
      const dimensions = [
        'Source',
        'Medium',
        'Campaign',
        'Referrer',
        'City',
        'Country',
        'System',
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

  it('show hostile values as the text that they are', async () => {
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

  it('the list of links is a file, too', async () => {
    await browser.go('/links');
    const file = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export' }).click();
    await page.getByRole('button', { name: 'CSV' }).click();
    const text = readFileSync(await (await file).path(), 'utf8');
    // Excel takes the file for one in the encoding of its country without this mark.
    expect(text.startsWith('\ufeff')).toBe(true);
    expect(text).toContain('counted');
  });
});
