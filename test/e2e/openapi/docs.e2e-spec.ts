import type { Response } from 'playwright-core';
import request from 'supertest';
import { accessibilityOf, overflowOf } from '../../support/accessibility';
import { Browser, describeInBrowser } from '../../support/browser';
import { aKey, aVerifiedAccount } from '../../support/factories/accounts';
import { shorten } from '../../support/http';
import { startService, type Service } from '../../support/service';

/** All operations of a section look alike, and examining all of them takes ten seconds. */
const OTHER_OPERATIONS = '.contents > section:nth-child(n + 6)';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

describe('GET /docs', () => {
  it('allows only scripts from this host', async () => {
    const page = await request(service.url).get('/docs');
    const policy = page.headers['content-security-policy'] as string;
    expect(policy).toContain("default-src 'self'; script-src 'self';");
    expect(policy).not.toContain('unsafe-eval');
    expect(page.text).not.toMatch(/<script>|https?:\/\//);
  });

  it('sends its reader compressed, and browsers can cache it permanently', async () => {
    const page = await request(service.url).get('/docs');
    const [, reader = ''] = /src="(\/docs\/scalar-[^"]+)"/.exec(page.text) ?? [];
    const answer = await request(service.url).get(reader).set('Accept-Encoding', 'gzip');
    expect(answer.status).toBe(200);
    expect(answer.headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'content-encoding': 'gzip',
      'cache-control': 'public, max-age=31536000, immutable',
      vary: 'Accept-Encoding',
    });
    const plain = await request(service.url).get(reader).set('Accept-Encoding', 'identity');
    expect(plain.headers['content-encoding']).toBeUndefined();
    expect(plain.text).toBe(answer.text);
    expect((await request(service.url).get('/docs/scalar-0.0.0.js')).status).toBe(404);
  });
});

describeInBrowser('The API page in a browser', () => {
  let browser: Browser;
  let foreign: string[];
  afterEach(() => browser.close());

  async function prepare(options: { width: number; dark?: boolean }): Promise<void> {
    browser = await Browser.open({ ...options, javaScript: true });
    foreign = [];
    browser.page.on('request', (asked) => {
      if (/^https?:/.test(asked.url()) && !asked.url().startsWith(service.url)) {
        foreign.push(asked.url());
      }
    });
  }

  const heading = (name: string) => browser.page.getByRole('heading', { name, exact: true });

  async function expectNamesAndContrast(): Promise<void> {
    await browser.page.getByRole('button', { name: 'Copy' }).first().waitFor({ state: 'attached' });
    const rules = ['button-name', 'color-contrast'];
    const { broken } = await accessibilityOf(browser.page, rules, OTHER_OPERATIONS);
    expect(broken).toEqual([]);
  }

  it('says that it loads, contacts no other host, is accessible, and fits wide and narrow windows', async () => {
    await prepare({ width: 1200, dark: true });
    const { page } = browser;
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    await page.route('**/docs/scalar-*', async (route) => {
      await released;
      await route.continue();
    });
    await page.goto(`${service.url}/docs`, { waitUntil: 'commit' });
    const loading = page.getByText('Loading the API description');
    await loading.waitFor();
    release();
    await loading.waitFor({ state: 'detached' });
    expect(await page.getByRole('banner').count()).toBe(1);
    await heading('Curtail').waitFor();
    await heading('Shorten an address').waitFor();
    await expectNamesAndContrast();
    expect(await overflowOf(page)).toBeLessThanOrEqual(0);
    await page.setViewportSize({ width: 360, height: 800 });
    expect(await overflowOf(page)).toBeLessThanOrEqual(0);
    expect(foreign).toEqual([]);
    expect(browser.complaints).toEqual([]);
  });

  it('has the header of all pages, which shows the signed-in account', async () => {
    const account = await aVerifiedAccount(service);
    const page = await request(service.url).get('/docs').set('Cookie', account.cookies);
    expect(page.text).toContain(account.email);
    expect(page.headers['cache-control']).toBe('no-store');
  });

  it('sends trial requests with the session cookies and with a key', async () => {
    const account = await aVerifiedAccount(service);
    const key = await aKey(service, account, ['urls:read', 'shorten:create']);
    const address = 'https://example.com/tried-out';
    const made = await shorten(service, { long_url: address }).set(
      'Authorization',
      `Bearer ${key}`,
    );
    expect(made.status).toBe(201);
    await prepare({ width: 1200 });
    await browser.page.goto(`${service.url}/docs`);
    await heading('Curtail').waitFor();
    await expectNamesAndContrast();
    const { page } = browser;
    const signIn = JSON.stringify({ email: account.email, password: account.password });
    const status = await page.evaluate(
      `fetch('/auth/login', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: ${JSON.stringify(signIn)} })
        .then((answer) => answer.status)`,
    );
    expect(status).toBe(200);
    const send = async (): Promise<Response> => {
      await page.getByRole('button', { name: /Test Request\s*\(get \/api\/v1\/urls\)/ }).click();
      const answered = page.waitForResponse((answer) => answer.url().includes('/api/v1/urls'));
      const button = page.getByRole('button', { name: /Send/ }).first();
      await button.click();
      const response = await answered;
      // If the page closes before it shows the response, it sends no further requests.
      await button.and(page.locator(':not([aria-disabled="true"])')).waitFor();
      return response;
    };
    const byCookie = await send();
    expect(byCookie.request().headers().authorization).toBeUndefined();
    expect(byCookie.status()).toBe(200);
    await page.keyboard.press('Escape');
    await page.context().clearCookies();
    await page.getByPlaceholder('Token').first().fill(key);
    const byKey = await send();
    expect(byKey.request().headers().authorization).toBe(`Bearer ${key}`);
    expect(byKey.status()).toBe(200);
    await page.getByText(address).first().waitFor();
    expect(foreign).toEqual([]);
    await page.keyboard.press('Escape');
    const menu = page.getByRole('navigation', { name: 'Main' });
    expect(await menu.locator('[aria-current="page"]').innerText()).toBe('API');
    await menu.getByRole('link', { name: 'Shorten' }).click();
    expect(page.url()).toBe(`${service.url}/`);
  });
});
