import { rmSync } from 'node:fs';
import type { Page, Request, Response } from 'playwright-core';
import request from 'supertest';
import { AppBrowser, settled } from '../../support/app/app-browser';
import { describeInBrowser } from '../../support/browser';
import {
  anAccount,
  aVerifiedAccount,
  STRONG_PASSWORD,
  type TestAccount,
} from '../../support/factories/accounts';
import { eventually } from '../../support/shared/eventually';
import { bearer, cookiesOf, post } from '../../support/http';
import { limitsFile } from '../../support/limits';
import { freePort, type Service, startService } from '../../support/service';

const LIMITS = {
  'auth.refresh': 'off',
  'auth.me': 'off',
  'links.list': 'off',
  overview: 'off',
  'links.create': { authenticated: ['5/minute'] },
};

describeInBrowser('the app in trouble', () => {
  const limits = limitsFile(LIMITS);
  let service: Service;
  let browser: AppBrowser;
  let account: TestAccount;
  let page: Page;
  let port: number;

  beforeAll(async () => {
    port = await freePort();
    service = await startService({ port, env: { LIMITS_FILE: limits } });
    browser = await AppBrowser.open(service);
    page = browser.page;
  });
  afterAll(async () => {
    await browser.close();
    await service.stop();
  });
  beforeEach(async () => {
    account = await aVerifiedAccount(service);
    await browser.signIn(account);
  });

  /** Browsers delete the cookie after 15 minutes. */
  const dropAccess = () => page.context().clearCookies({ name: 'access_token' });
  const isSignIn = (asked: Request) => new URL(asked.url()).pathname === '/login';

  it('typed text remains during a temporary outage of the service', async () => {
    await browser.go('/links?new=1');
    const form = page.getByRole('dialog');
    await form.getByLabel('Destination').fill('example.com/kept');
    const { database, dataDir } = service;
    await service.kill('SIGKILL');
    await form.getByRole('button', { name: 'Shorten' }).click();
    await form.getByText('could not be reached').waitFor();
    await page.getByText('The service is not responding.').waitFor();
    expect(await form.getByLabel('Destination').inputValue()).toBe('example.com/kept');
    service = await startService({ port, database, dataDir, env: { LIMITS_FILE: limits } });
    await page.getByText('The service is not responding.').waitFor({ state: 'detached' });
    await form.getByRole('button', { name: 'Shorten' }).click();
    await form.getByText('Your short link').waitFor();
    await page.keyboard.press('Escape');
    await page.getByText('1 link', { exact: true }).waitFor();
    rmSync(dataDir, { recursive: true, force: true });
  });

  it('a rate limit is shown next to the form with a countdown, and the button is disabled', async () => {
    for (let i = 0; i < 5; i++) {
      const made = await request(service.url)
        .post('/api/v1/shorten')
        .set(bearer(account.accessToken))
        .send({ long_url: 'https://example.com/' });
      expect(made.status).toBe(201);
    }
    await page.clock.install();
    await browser.go('');
    await page.getByLabel('Shorten a link').fill('example.com/one-too-many');
    const button = page.getByRole('button', { name: 'Shorten', exact: true });
    await button.click();
    await page.getByText(/Try again in \d+ s/).waitFor();
    expect(await button.getAttribute('aria-disabled')).toBe('true');
    const seconds = async () =>
      Number(/in (\d+) s/.exec(await page.locator('.problem').innerText())?.[1]);
    const before = await seconds();
    await page.clock.fastForward(10_000);
    // The countdown also continues by itself.
    await eventually(async () => (await seconds()) <= before - 10);
    await page.clock.fastForward(60_000);
    await page.getByText(/Try again in/).waitFor({ state: 'detached' });
    expect(await button.getAttribute('aria-disabled')).toBe('false');
    expect(await page.getByLabel('Shorten a link').inputValue()).toBe('example.com/one-too-many');
    await page.close();
    page = await page.context().newPage();
  });

  it('a session that ended elsewhere leads to the sign-in page and back, with the form unchanged', async () => {
    await browser.go('/links?new=1', page);
    const form = page.getByRole('dialog');
    await form.getByLabel('Destination').fill('example.com/unsaved');
    await form.getByRole('button', { name: 'Access' }).click();
    await form.getByLabel('Password').fill('blue.sky7');
    const login = await post(service, '/auth/login', {
      email: account.email,
      password: STRONG_PASSWORD,
    });
    const ended = await request(service.url)
      .delete('/auth/sessions')
      .set(bearer(login.body.access_token as string));
    expect(ended.status).toBe(200);
    await dropAccess();
    const leaves = page.waitForRequest(isSignIn);
    await form.getByRole('button', { name: 'Shorten' }).click();
    const asked = new URL((await leaves).url());
    const next = asked.searchParams.get('next') ?? '';
    expect(next).toBe('/dashboard/links?new=1');
    await page.waitForURL(/\/login\?/);
    await browser.signIn({ ...account, cookies: cookiesOf(login) });
    await page.goto(browser.at(next));
    await settled(page);
    expect(await form.getByLabel('Destination').inputValue()).toBe('example.com/unsaved');
    expect(await form.locator('[name="password"]').inputValue()).toBe('');
    expect(await page.evaluate('JSON.stringify({ ...sessionStorage })')).not.toContain('blue.sky7');
  });

  it('a draft belongs to its account, and the next account in the browser does not see it', async () => {
    await browser.go('/links?new=1', page);
    await page.getByRole('dialog').getByLabel('Destination').fill('example.com/mine');
    await browser.signIn(await aVerifiedAccount(service));
    await browser.go('/links?new=1', page);
    expect(await page.getByRole('dialog').getByLabel('Destination').inputValue()).toBe('');
  });

  it('an unverified account is redirected to the verification page', async () => {
    await browser.signIn(await anAccount(service));
    const leaves = page.waitForRequest(
      (asked) => new URL(asked.url()).pathname === '/register/verify',
    );
    await page.goto(browser.at('/dashboard/keys'));
    expect((await leaves).method()).toBe('GET');
    await page.waitForLoadState();
  });

  it('a tab that is older than the service offers to reload', async () => {
    await page.route(/\/static\/app\/keys-/, (route) => route.fulfill({ status: 404 }));
    await browser.go('', page);
    await page
      .getByRole('navigation', { name: 'Main' })
      .getByRole('link', { name: 'API keys' })
      .click();
    await page.getByText('A new version is available').waitFor();
    await page.unroute(/\/static\/app\/keys-/);
    await page.getByRole('button', { name: 'Reload' }).click();
    await page.getByText('No API keys yet').waitFor();
    expect(new URL(page.url()).pathname).toBe('/dashboard/keys');
  });

  it('all parts are loaded with the first screen, so that an outage of the service affects none', async () => {
    const asked = new Set<string>();
    const note = (answer: Response) => {
      const name = /\/static\/app\/([a-z-]+)-[\w-]+\.js$/.exec(answer.url())?.[1];
      if (name !== undefined) asked.add(name);
    };
    page.on('response', note);
    const parts = ['new-link', 'overview', 'links', 'link', 'analytics', 'keys', 'settings'];
    await browser.go('', page);
    await eventually(() => [...parts, 'not-found'].every((name) => asked.has(name)));
    page.off('response', note);
    await page.context().setOffline(true);
    await page.locator('h1').first().press('n');
    await page.getByRole('dialog').getByLabel('Destination').fill('example.com/offline');
    await page.keyboard.press('Escape');
    const main = page.getByRole('navigation', { name: 'Main' });
    await main.getByRole('link', { name: 'API keys' }).click();
    await page.getByRole('heading', { name: 'API keys' }).waitFor();
    await main.getByRole('link', { name: 'Settings' }).click();
    await page.getByRole('heading', { name: 'Settings' }).waitFor();
    await page.getByText('The service is not responding.').waitFor();
    expect(new URL(page.url()).pathname).toBe('/dashboard/settings');
    await page.context().setOffline(false);
    await page.getByText('The service is not responding.').waitFor({ state: 'detached' });
  });

  it('a part that failed to load shows an error in its place, and appears after a retry', async () => {
    const [form, keys] = [/\/static\/app\/new-link-/, /\/static\/app\/keys-/];
    let isAway = true;
    await page.route(/\/health$/, (route) => (isAway ? route.abort() : route.continue()));
    for (const part of [form, keys]) await page.route(part, (route) => route.abort());
    await browser.go('', page);
    await page.locator('h1').first().press('n');
    const drawer = page.getByRole('dialog', { name: 'New link' });
    await drawer.getByText('could not be reached').waitFor();
    await page.unroute(form);
    await drawer.getByRole('button', { name: 'Try again' }).click();
    await drawer.getByLabel('Destination').fill('example.com/again');
    await page.keyboard.press('Escape');
    await page
      .getByRole('navigation', { name: 'Main' })
      .getByRole('link', { name: 'API keys' })
      .click();
    await page.getByRole('main').getByText('could not be reached').waitFor();
    await page.unroute(keys);
    isAway = false;
    await page.getByText('No API keys yet').waitFor();
    expect(new URL(page.url()).pathname).toBe('/dashboard/keys');
    await page.unroute(/\/health$/);
  });

  it.each(['locks', 'the lease that takes their place on plain http'])(
    "two tabs that were idle for longer than the token's lifetime both continue: %s",
    async (means) => {
      const pages = [await page.context().newPage(), await page.context().newPage()] as const;
      if (means !== 'locks') {
        for (const each of pages) {
          await each.addInitScript(
            'Object.defineProperty(navigator, "locks", { value: undefined })',
          );
        }
      }
      const signIns: string[] = [];
      for (const each of pages) {
        each.on('request', (asked) => {
          if (isSignIn(asked)) signIns.push(asked.url());
        });
        await browser.go('/links', each);
      }
      for (let round = 0; round < 20; round++) {
        await dropAccess();
        await Promise.all(
          pages.map(async (each, i) => {
            const answered = each.waitForResponse(
              (answer) => answer.url().includes('/api/v1/urls?') && answer.status() === 200,
            );
            if (round % 2 === 0) await each.reload();
            else await each.getByLabel('Search links').fill(`round-${round}-${i}`);
            await answered;
          }),
        );
      }
      expect(signIns).toEqual([]);
      for (const each of pages) {
        expect(await each.getByRole('heading', { name: 'Links' }).count()).toBe(1);
        await each.close();
      }
    },
  );
});
