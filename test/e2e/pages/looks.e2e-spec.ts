import { errorPage } from '../../../src/common/http/error-response';
import { CurtailError } from '../../../src/common/errors';
import { accessibilityOf, coloursOf, overflowOf } from '../../support/accessibility';
import { Browser, describeInBrowser } from '../../support/browser';
import { aV0Link } from '../../support/legacy-requests';
import { visit } from '../../support/http';
import { aClick } from '../../support/shared/click.factory';
import { StatisticsWorld } from '../../support/statistics/statistics-world';

const PASSWORD = 'Geheim1@x';
const DAY = 86_400_000;
/** The widest values, which must not make a page wider than a phone. */
const WIDE = {
  referrer: 'https://a-very-long-subdomain-for-newsletters.marketing-platform.example.co.uk',
  city: 'Llanfairpwllgwyngyllgogerychwyrndrobwllllantysiliogogoch',
  utmCampaign: 'autumn_sale_2026_remarketing_lookalike_audience_variant_b',
};

describeInBrowser('pages, visually', () => {
  let world: StatisticsWorld;
  let usedUp: string;

  beforeAll(async () => {
    world = await StatisticsWorld.open();
    const id = await world.link({
      alias: 'busy',
      long_url: `https://example.com/${'long-path/'.repeat(30)}`,
      created_at: new Date(Date.now() - 100 * DAY),
    });
    const clicks = Array.from({ length: 300 }, (_, i) =>
      aClick({
        at: Math.floor(Date.now() - (i / 3) * DAY),
        visitor: (i + 1).toString(16).padStart(24, '0'),
        country: `Country ${i % 14}`,
        botName: i % 9 === 0 ? 'Googlebot' : null,
        ...(i % 3 === 0 ? WIDE : { utmSource: 'newsletter' }),
      }),
    );
    await world.record(id, clicks.reverse());
    await world.link({ alias: 'nothing-yet' });
    await aV0Link(world.service, { alias: 'locked', password: PASSWORD });
    usedUp = await aV0Link(world.service, { 'max-clicks': '1' });
    await visit(world.service, usedUp);
  });
  afterAll(() => world.close());

  const at = (path: string): string => `http://localhost:${world.service.port}${path}`;

  async function shortenInForm({ page }: Browser): Promise<void> {
    await page.goto(at('/'));
    await page.getByLabel('Long address').fill('example.com/foo');
    await page.getByRole('button', { name: 'Shorten' }).click();
  }

  const WAYS: Record<string, (browser: Browser) => Promise<unknown>> = {
    home: ({ page }) => page.goto(at('/')),
    'home with options': async ({ page }) => {
      await page.goto(at('/'));
      await page.getByText('Options').click();
    },
    'home after a refusal': async ({ page }) => {
      await page.goto(at('/'));
      await page.getByLabel('Long address').fill('example.com/foo');
      await page.getByText('Options').click();
      await page.getByLabel('Alias').fill('stats');
      await page.getByRole('button', { name: 'Shorten' }).click();
      await page.getByRole('alert').waitFor();
    },
    result: async (browser) => {
      await shortenInForm(browser);
      await browser.page.getByRole('button', { name: 'Copy' }).waitFor();
    },
    preview: ({ page }) => page.goto(at('/busy+')),
    'preview of a password link': ({ page }) => page.goto(at('/locked+')),
    lookup: ({ page }) => page.goto(at('/stats')),
    statistics: async ({ page }) => {
      await page.goto(at('/stats/busy'));
      await page.getByText('Show as table').click();
    },
    'statistics of dates': ({ page }) => page.goto(at('/stats/busy?from=2020-01-01')),
    'statistics without clicks': ({ page }) => page.goto(at('/stats/nothing-yet')),
    'statistics of no day': ({ page }) => page.goto(at('/stats/busy?from=2026-02-30')),
    'statistics of a password link': ({ page }) => page.goto(at('/stats/locked')),
    'password form': ({ page }) => page.goto(at('/locked')),
    'wrong password': async ({ page }) => {
      await page.goto(at('/locked'));
      await page.getByLabel('Password').fill('not this one');
      await page.getByRole('button', { name: 'Open the link' }).click();
      await page.getByRole('alert').waitFor();
    },
    'unknown link': ({ page }) => page.goto(at('/nobody')),
    'closed link': ({ page }) => page.goto(at(`/${usedUp}`)),
    'too many links': async (browser) => {
      for (let i = 0; i < 6; i++) await shortenInForm(browser);
      await browser.page.getByText('Try again in').waitFor();
    },
    'too many requests': async ({ page }) => {
      // Sent from the page's address, but not rendered.
      for (let i = 0; i < 20; i++) await page.context().request.get(at('/stats'));
      await page.goto(at('/stats'));
    },
    'fault of ours': async ({ page }) => {
      const error = new CurtailError(500, 'internal_error', 'Something went wrong on our side');
      await page.route('**/broken', (route) =>
        route.fulfill({ status: 500, contentType: 'text/html', body: errorPage(error) }),
      );
      await page.goto(at('/broken'));
    },
  };

  const LOOKS = [
    { width: 1100, dark: false },
    { width: 360, dark: true },
  ];

  it.each(LOOKS)('are accessible, fit the window and log no errors (%j)', async (look) => {
    const browser = await Browser.open({ ...look, javaScript: true });
    const { page } = browser;
    try {
      for (const [name, go] of Object.entries(WAYS)) {
        await page.setViewportSize({ width: look.width, height: 800 });
        await go(browser);
        const { broken, kept } = await (look.dark ? coloursOf : accessibilityOf)(page);
        expect([name, broken]).toEqual([name, []]);
        expect(kept).toBeGreaterThan(look.dark ? 0 : 15);
        expect([name, await overflowOf(page)]).toEqual([name, 0]);
        if (look.width > 400) continue;
        await page.setViewportSize({ width: 320, height: 640 });
        expect([name, await overflowOf(page)]).toEqual([name, 0]);
      }
      expect(browser.complaints.filter((text) => !text.includes('the server resp'))).toEqual([]);
      expect([...browser.origins]).toEqual([at('')]);
    } finally {
      await browser.close();
    }
  });

  describe('with JavaScript', () => {
    let browser: Browser;
    beforeEach(async () => {
      browser = await Browser.open({ javaScript: true });
    });
    afterEach(() => browser.close());

    it('a button copies the short link', async () => {
      await shortenInForm(browser);
      const { page } = browser;
      const address = await page.locator('#short-url').innerText();
      await page.getByRole('button', { name: 'Copy' }).click();
      await page.getByRole('status').getByText('Copied').waitFor();
      expect(await page.evaluate('navigator.clipboard.readText()')).toBe(address);
    });

    it('a button copies it without the modern clipboard API, as over plain http', async () => {
      const { page } = browser;
      await page.addInitScript(
        'Object.defineProperty(navigator, "clipboard", { value: undefined })',
      );
      await shortenInForm(browser);
      await page.getByRole('button', { name: 'Copy' }).click();
      await page.getByRole('status').getByText('Copied').waitFor();
      expect(await page.evaluate('getSelection().toString()')).toBe(
        await page.locator('#short-url').innerText(),
      );
    });

    it('the link is selected for copying by hand if the clipboard is not permitted', async () => {
      const { page } = browser;
      await page.addInitScript(
        'Object.defineProperty(navigator, "clipboard", { value: { writeText: () => Promise.reject() } })',
      );
      await shortenInForm(browser);
      await page.getByRole('button', { name: 'Copy' }).click();
      await page.getByText('The link is selected').waitFor();
      expect(await page.evaluate('document.activeElement.id')).toBe('copy-field');
    });

    it('an alias that is too long is reported as such, never as available', async () => {
      const { page } = browser;
      await page.goto(at('/'));
      await page.getByText('Options').click();
      await page.getByLabel('Alias').fill('black-friday-instagram-2026');
      await page.getByText('Too long: 27 characters, use at most 16').waitFor();
      expect(await page.getByLabel('Alias').inputValue()).toBe('black-friday-instagram-2026');
      await page.getByLabel('Alias').fill('black-friday');
      await page.getByText('Available', { exact: true }).waitFor();
    });

    it('the short link appears once, with its QR code to download', async () => {
      await shortenInForm(browser);
      const { page } = browser;
      await page.getByRole('button', { name: 'Copy' }).waitFor();
      expect(await page.locator('#copy-field').isVisible()).toBe(false);
      await page.getByRole('img', { name: 'QR code of the short link' }).waitFor();
      await page.waitForFunction('document.querySelector(".qr img").naturalWidth > 0');
      for (const kind of ['SVG', 'PNG']) {
        const [file] = await Promise.all([
          page.waitForEvent('download'),
          page.getByRole('link', { name: kind }).click(),
        ]);
        expect(file.suggestedFilename()).toMatch(new RegExp(`^\\w{6}\\.${kind.toLowerCase()}$`));
      }
    });

    it('the address field has the focus, and the keyboard is enough for all actions', async () => {
      const { page } = browser;
      await page.goto(at('/'));
      await page.keyboard.type('example.com/by-keyboard');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Your short link' }).waitFor();
      await page.keyboard.press('Tab');
      expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to content');
      await page.keyboard.press('Enter');
      await page.keyboard.press('Tab');
      expect(await page.evaluate('document.activeElement.id')).toBe('short-url');
    });
  });

  it('buttons that need JavaScript do not appear without it', async () => {
    const browser = await Browser.open();
    try {
      await shortenInForm(browser);
      await browser.page.getByLabel('Copy this link').waitFor();
      expect(await browser.page.locator('#copy').isVisible()).toBe(false);
    } finally {
      await browser.close();
    }
  });

  it('the header has links to all pages, and marks the current page', async () => {
    const browser = await Browser.open({ width: 320 });
    try {
      const { page } = browser;
      await page.goto(at('/nobody'));
      const header = page.getByRole('navigation', { name: 'Main' });
      await header.getByRole('link', { name: 'Statistics' }).click();
      expect(page.url()).toBe(at('/stats'));
      expect(await header.locator('[aria-current="page"]').innerText()).toBe('Statistics');
      await header.getByRole('link', { name: 'Shorten' }).click();
      expect(page.url()).toBe(at('/'));
      await header.getByRole('link', { name: 'API' }).click();
      expect(page.url()).toMatch(/\/docs\/?$/);
    } finally {
      await browser.close();
    }
  });

  it('a password is requested only once for all ranges and files', async () => {
    const browser = await Browser.open();
    try {
      const { page } = browser;
      await visit(world.service, 'locked', { 'X-Link-Password': PASSWORD });
      await page.goto(at('/stats/locked'));
      await page.getByLabel('Link password').fill(PASSWORD);
      await page.getByRole('button', { name: 'Continue' }).click();
      await page.getByRole('link', { name: '7 days' }).click();
      expect(page.url()).toBe(at('/stats/locked?range=7d'));
      expect(await page.locator('.choices [aria-current]').first().innerText()).toBe('7 days');
    } finally {
      await browser.close();
    }
  });
});
