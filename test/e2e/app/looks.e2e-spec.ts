import type { Page } from 'playwright-core';
import request from 'supertest';
import { accessibilityOf, overflowOf } from '../../support/accessibility';
import { AppBrowser, settled } from '../../support/app/app-browser';
import { describeInBrowser } from '../../support/browser';
import { aVerifiedAccount } from '../../support/factories/accounts';
import { BACKWARDS, QUOTES, SCRIPT } from '../../support/hostile-texts';
import { bearer } from '../../support/http';
import { aClick } from '../../support/statistics/click.factory';
import { StatisticsWorld } from '../../support/statistics/statistics-world';

const WIDTHS = [360, 768, 1280];
const PATIENCE = 240_000;
const LONG = `https://example.com/${'long-path/'.repeat(30)}?q=${encodeURIComponent(SCRIPT)}`;

describeInBrowser('screens of the app as people see them', () => {
  let world: StatisticsWorld;
  let browser: AppBrowser;
  let page: Page;
  let id: string;

  beforeAll(async () => {
    world = await StatisticsWorld.open();
    const account = await aVerifiedAccount(world.service);
    const send = (method: 'post' | 'patch', path: string, body: object) =>
      request(world.service.url)[method](path).set(bearer(account.accessToken)).send(body);
    await send('patch', '/auth/me', { user_name: `${QUOTES} ${BACKWARDS}` });
    const made = await send('post', '/api/v1/shorten', {
      long_url: LONG,
      max_clicks: 100,
      expire_after: Math.floor(Date.now() / 1000) + 86_400,
      password: 'blue.sky7',
      block_bots: true,
    });
    id = made.body.id;
    for (let i = 0; i < 30; i++) {
      await send('post', '/api/v1/shorten', { long_url: `https://example.com/${i}` });
    }
    await send('post', '/api/v1/keys', {
      name: SCRIPT,
      description: QUOTES.repeat(8),
      scopes: ['shorten:create', 'urls:read'],
    });
    const clicks = Array.from({ length: 120 }, (_, i) =>
      aClick({
        at: Math.floor(Date.now() - 60_000 - (i / 4) * 86_400_000),
        visitor: i.toString(16).padStart(24, '0'),
        country: `Country ${i % 14}`,
        city: 'Llanfairpwllgwyngyllgogerychwyrndrobwllllantysiliogogoch',
        referrer: `https://${'very-long-subdomain-'.repeat(3)}${i % 12}.example.co.uk`,
        utmCampaign: i % 2 === 0 ? SCRIPT : null,
      }),
    );
    await world.record(id, clicks.reverse());
    browser = await AppBrowser.open(world.service);
    page = browser.page;
    await browser.signIn(account);
  }, PATIENCE);
  afterAll(async () => {
    await browser.close();
    await world.close();
  });

  /** Screens, and what is done there before they are looked at. */
  const SCREENS: Record<string, (page: Page) => Promise<unknown>> = {
    overview: () => browser.go(''),
    links: () => browser.go('/links'),
    'links that are filtered': async () => {
      await browser.go('/links?status=ACTIVE&search=example');
      await page.getByRole('button', { name: /Filters/ }).click();
    },
    'no link found': () => browser.go('/links?search=nothing-like-it'),
    'the drawer, with what was refused': async () => {
      await browser.go('/links?new=1');
      const form = page.getByRole('dialog');
      await form.getByLabel('Destination').fill('example.com');
      await form.getByLabel('Alias').fill('stats');
      await form.getByRole('button', { name: 'Shorten' }).click();
      await form.locator('.field-problem').waitFor();
    },
    'a link': async () => {
      await browser.go(`/links/${id}?compare=yes&f.country=Country+1`);
      await page.getByText('The same as a table').click();
    },
    'its chart, with the figures of a column': async () => {
      await browser.go(`/links/${id}?compare=yes&range=7d`);
      await page.getByRole('group', { name: /Chart/ }).focus();
      await page.keyboard.press('ArrowLeft');
      await page.locator('.tip').waitFor();
    },
    'its range picker': async () => {
      await browser.go(`/links/${id}`);
      await page.getByRole('button', { name: /Range/ }).click();
    },
    'its settings': () => browser.go(`/links/${id}?view=settings`),
    'its QR code': async () => {
      await browser.go(`/links/${id}`);
      await page.getByRole('button', { name: 'QR code' }).click();
      await page.getByRole('img', { name: /QR code of/ }).waitFor();
    },
    'a link that is not there': () => browser.go('/links/0123456789abcdef01234567'),
    analytics: () => browser.go('/analytics'),
    'all values of a dimension': async () => {
      await browser.go('/analytics');
      await page
        .getByRole('button', { name: /Show all/ })
        .first()
        .click();
    },
    keys: () => browser.go('/keys'),
    'the drawer for a key': async () => {
      await browser.go('/keys');
      await page.getByRole('main').getByRole('button', { name: 'New key' }).click();
    },
    settings: () => browser.go('/settings'),
    shortcuts: async () => {
      await browser.go('/settings');
      await page.keyboard.press('?');
    },
    'the account menu and a message': async () => {
      await browser.go('/links');
      await page.locator('[data-row]').first().focus();
      await page.keyboard.press('Delete');
      await page.getByRole('button', { name: 'Undo' }).waitFor();
      await page.getByRole('button', { name: 'Account' }).click();
    },
    'no such screen': () => browser.go('/no/such/screen'),
  };

  it.each(Object.keys(SCREENS))(
    '%s: accessible in light and dark, no wider than the window, without a complaint',
    async (name) => {
      await page.setViewportSize({ width: 1280, height: 900 });
      await SCREENS[name]?.(page);
      await settled(page);
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 900 });
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
          const { broken, kept } = await accessibilityOf(page);
          expect([width, colorScheme, broken]).toEqual([width, colorScheme, []]);
          expect(kept).toBeGreaterThan(15);
        }
        expect([width, await overflowOf(page)]).toEqual([width, 0]);
      }
      // 400 % zoom of a window of 1280 by 1024.
      await page.setViewportSize({ width: 320, height: 256 });
      expect(await overflowOf(page)).toBe(0);
      expect(await page.locator('body [onerror], main script, dialog script').count()).toBe(0);
      expect(browser.complaints()).toEqual([]);
    },
    PATIENCE,
  );
});
