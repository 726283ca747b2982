import type { Page } from 'playwright-core';
import request from 'supertest';
import { accessibilityOf, overflowOf } from '../../support/accessibility';
import { AppBrowser, settled } from '../../support/app/app-browser';
import { describeInBrowser } from '../../support/browser';
import { aVerifiedAccount } from '../../support/factories/accounts';
import { QUOTES, SCRIPT } from '../../support/hostile-texts';
import { bearer } from '../../support/http';
import { aClick } from '../../support/shared/click.factory';
import { StatisticsWorld } from '../../support/statistics/statistics-world';

/** The last two have little height: a phone in landscape, and 1280 by 1024 at 400 % zoom. */
const SIZES = [
  [360, 900],
  [768, 900],
  [1280, 900],
  [740, 360],
  [320, 256],
] as const;
const LONG = `https://example.com/${'long-path/'.repeat(30)}?q=${encodeURIComponent(SCRIPT)}`;

describeInBrowser('screens of the app, visually', () => {
  let world: StatisticsWorld;
  let browser: AppBrowser;
  let page: Page;
  let id: string;
  let noted: string;

  beforeAll(async () => {
    world = await StatisticsWorld.open();
    const account = await aVerifiedAccount(world.service);
    const send = (method: 'post' | 'patch', path: string, body: object) =>
      request(world.service.url)[method](path).set(bearer(account.accessToken)).send(body);
    await send('patch', '/auth/me', { user_name: QUOTES });
    const made = await send('post', '/api/v1/shorten', {
      long_url: LONG,
      max_clicks: 100,
      expire_after: Math.floor(Date.now() / 1000) + 86_400,
      password: 'blue.sky7',
      block_bots: true,
      tags: ['spring', QUOTES, 'autumn'],
    });
    id = made.body.id;
    for (let i = 0; i < 30; i++) {
      const one = await send('post', '/api/v1/shorten', {
        long_url: `https://example.com/${i}`,
        title: SCRIPT,
        note: `${QUOTES}\n\n${LONG}`,
        tags: ['spring'],
      });
      noted = one.body.id;
    }
    await send('post', '/api/v1/keys', {
      name: SCRIPT,
      description: QUOTES.repeat(8),
      scopes: ['shorten:create', 'urls:read'],
    });
    const clicks = Array.from({ length: 120 }, (_, i) =>
      aClick({
        at: Math.floor(Date.now() - 60_000 - (i / 4) * 86_400_000),
        visitor: (i + 1).toString(16).padStart(24, '0'),
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
  });
  afterAll(async () => {
    await browser.close();
    await world.close();
  });

  const SCREENS: Record<string, (page: Page) => Promise<unknown>> = {
    overview: () => browser.go(''),
    links: () => browser.go('/links'),
    'links that are filtered': async () => {
      await browser.go('/links?status=ACTIVE&search=example');
      await page.getByRole('button', { name: /Filters/ }).click();
    },
    'the menu of a row': async () => {
      await browser.go('/links');
      await page
        .getByRole('button', { name: /^Actions for/ })
        .nth(2)
        .click();
      await page.getByRole('menu').waitFor();
    },
    'no link found': () => browser.go('/links?search=nothing-like-it'),
    'the drawer, with what was refused': async () => {
      await browser.go('/links?new=1');
      const form = page.getByRole('dialog');
      await form.getByLabel('Destination').fill('example.com');
      await form.getByLabel('Alias').fill('stats');
      for (const group of ['Organise', 'Access']) {
        await form.getByRole('button', { name: group }).click();
      }
      await form.getByLabel('Expires').fill('2090-01-01T00:00');
      await form.getByLabel('Click limit').fill('9');
      await form.getByRole('button', { name: 'Shorten' }).click();
      await form.locator('.field-problem').waitFor();
    },
    'a link': async () => {
      await browser.go(`/links/${id}?compare=yes&f.country=Country+1`);
      await page.getByText('Show as table').click();
    },
    'a link with a title and a note': () => browser.go(`/links/${noted}`),
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
      await page.getByRole('img', { name: /QR code for/ }).waitFor();
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
    'links that are selected': async () => {
      await browser.go('/links?tags=spring');
      await page.getByLabel('Select all on this page').check();
      await page.getByRole('region', { name: 'Selected links' }).waitFor();
    },
    'tags that are given to them': async () => {
      await browser.go('/links?tags=spring');
      await page.getByLabel('Select all on this page').check();
      const bar = page.getByRole('region', { name: 'Selected links' });
      await bar.getByRole('button', { name: 'Tags' }).click();
      await page.getByRole('combobox', { name: 'Add tags' }).fill('s');
      await page.getByRole('option', { name: 'spring' }).waitFor();
    },
    'many links, with problems': async () => {
      await browser.go('/links?many=1');
      await page
        .getByLabel('Destinations')
        .fill(`url\talias\ttitle\ttags\n${LONG}\tab\t${SCRIPT}\tspring|${QUOTES}\nexample.com`);
      await page.getByText('1 of 2 lines have problems').waitFor();
    },
    tags: () => browser.go('/tags'),
    'a tag that is made': async () => {
      await browser.go('/tags');
      await page.getByRole('button', { name: 'New tag' }).click();
    },
    domains: () => browser.go('/domains'),
    'a domain that is added': async () => {
      await browser.go('/domains');
      await page.getByRole('button', { name: 'Add a domain' }).click();
    },
    'a campaign': async () => {
      await browser.go('/links?new=1');
      await page.getByLabel('Destination').fill('example.com');
      await page.getByRole('button', { name: 'Organise' }).click();
      await page.getByRole('button', { name: 'Campaign' }).click();
      await page.getByRole('combobox', { name: 'Source' }).fill('news');
    },
    'two tags in one chart': async () => {
      await browser.go('/analytics?view=compare&range=12mo&interval=week');
      await page.getByRole('table', { name: 'Totals in this range' }).waitFor();
    },
    'where a link leads': async () => {
      await browser.go(`/links/${id}?view=rules`);
      const add = (what: string) => page.getByRole('button', { name: `Add a ${what}` }).click();
      await add('rule');
      await page.getByLabel('Condition', { exact: true }).selectOption('Language');
      await page.getByRole('combobox', { name: 'Languages' }).fill(`${QUOTES}, pt-BR`);
      await page.keyboard.press('Enter');
      await page.getByRole('button', { name: 'Add a condition' }).click();
      await add('country');
      await add('variant');
      const variants = page.getByRole('group', { name: 'Variants' });
      await variants.getByLabel('Destination').fill(LONG);
      await page.getByRole('button', { name: 'Save' }).click();
      await page.locator('.field-problem').first().waitFor();
    },
    'an import': async () => {
      await browser.go('/import');
      await page.getByLabel('Source').selectOption('Any CSV file');
      const buffer = Buffer.from(`${SCRIPT},Kürzel\n${LONG},ziel.1`);
      const file = { name: `${QUOTES}.csv`, mimeType: 'text/csv', buffer };
      await page.getByLabel('File', { exact: true }).setInputFiles(file);
      await page.getByRole('button', { name: 'Check', exact: true }).click();
      await page.getByLabel('Destination').selectOption(SCRIPT);
      await page.getByText('Examples: https://example.com/long-path').waitFor();
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

  // Every second screen is dark when it is wide, and the others when they are narrow: screens share
  // the navigation, and their colours do not depend on the width.
  it.each(Object.keys(SCREENS).map((name, i): [string, boolean] => [name, i % 2 === 0]))(
    '%s: accessible in light and dark mode, no wider than the window, no errors (wide is dark: %s)',
    async (name, isWideDark) => {
      await page.setViewportSize({ width: 1280, height: 900 });
      await SCREENS[name]?.(page);
      await settled(page);
      await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
      for (const [width, height] of SIZES) {
        await page.setViewportSize({ width, height });
        if (width === 360 || width === 1280) {
          const colorScheme = (width === 1280) === isWideDark ? 'dark' : 'light';
          await page.emulateMedia({ colorScheme });
          const { broken, kept } = await accessibilityOf(page);
          expect([width, height, broken]).toEqual([width, height, []]);
          expect(kept).toBeGreaterThan(15);
        }
        expect([width, height, await overflowOf(page)]).toEqual([width, height, 0]);
        // Only a side navigation makes the screen narrower.
        expect((await page.locator('main').boundingBox())?.width).toBeGreaterThan(
          width > 832 ? width * 0.75 : width - 1,
        );
      }
      expect(await page.locator('body [onerror], main script, dialog script').count()).toBe(0);
      expect(browser.complaints()).toEqual([]);
    },
  );

  it('system colours keep all text readable and the selection visible', async () => {
    await page.setViewportSize({ width: 1280, height: 900 });
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ forcedColors: 'active', colorScheme });
      await browser.go(`/links/${id}?compare=yes`);
      const colours = await page.evaluate<[string, string][]>(
        `[...document.querySelectorAll('[aria-pressed="true"], .side [aria-current], .choices :checked + span')]
          .map((it) => [getComputedStyle(it).color, getComputedStyle(it).backgroundColor])`,
      );
      expect(colours.length).toBeGreaterThan(5);
      for (const [colour, ground] of colours) expect(colour).not.toBe(ground);
      expect((await accessibilityOf(page)).broken).toEqual([]);
      const chart = (name: string): Promise<string> =>
        page
          .locator('.chart rect:not(.partial)')
          .first()
          .evaluate(`(it) => getComputedStyle(it).${name}`);
      expect(await chart('fill')).not.toBe(
        await page.evaluate('getComputedStyle(document.body).backgroundColor'),
      );
    }
    await page.emulateMedia({ forcedColors: null, colorScheme: null });
  });

  it('a print-out has days and the time zone, no buttons or navigation, and light colours', async () => {
    await browser.go(`/links/${id}?range=7d&zone=Asia%2FTokyo`);
    await page.evaluate("document.documentElement.dataset.theme = 'dark'");
    await page.emulateMedia({ media: 'print' });
    const occasion = page.locator('.print-only', { hasText: 'days in Asia/Tokyo' });
    expect(await occasion.innerText()).toMatch(/^\d+ \w{3} \d{4} – \d+ \w{3} \d{4} · .* · as of /);
    expect(await page.title()).toMatch(/^localhost:\d+\/\w+ · /);
    for (const hidden of ['.side', '.skip', '.top-actions', '.controls', '.link-head .actions']) {
      expect([hidden, await page.locator(hidden).isVisible()]).toEqual([hidden, false]);
    }
    expect(await page.evaluate('getComputedStyle(document.body).color')).toBe('rgb(23, 32, 44)');
    await page.emulateMedia({ media: null });
  });
});
