import type { Locator } from 'playwright-core';
import request from 'supertest';
import { AppBrowser, settled } from '../../support/app/app-browser';
import { describeInBrowser } from '../../support/browser';
import { eventually } from '../../support/shared/eventually';
import { aVerifiedAccount, type TestAccount } from '../../support/factories/accounts';
import { bearer, shorten, visit } from '../../support/http';
import { noonZone } from '../../support/statistics/noon-zone';
import { type Service, startService } from '../../support/service';

const LIMITS = 120_000;

describeInBrowser('journeys through the app', () => {
  let service: Service;
  let browser: AppBrowser;
  let account: TestAccount;
  beforeAll(async () => {
    service = await startService();
    browser = await AppBrowser.open(service, noonZone());
  });
  afterAll(async () => {
    await browser.close();
    await service.stop();
  });
  beforeEach(async () => {
    account = await aVerifiedAccount(service);
    await browser.signIn(account);
    await browser.page.setViewportSize({ width: 1100, height: 800 });
  });
  afterEach(() => expect(browser.complaints()).toEqual([]));

  const call = (method: 'get' | 'post', path: string, body?: object) =>
    request(service.url)[method](path).set(bearer(account.accessToken)).send(body);

  async function make(input: object = {}): Promise<{ id: string; alias: string }> {
    const body = { long_url: 'https://example.com/target', ...input };
    const answer = await call('post', '/api/v1/shorten', body);
    expect(answer.status).toBe(201);
    return answer.body as { id: string; alias: string };
  }

  async function fromMenu(alias: string, item: string): Promise<void> {
    const { page } = browser;
    await page.getByRole('button', { name: `Actions for ${alias}` }).click();
    await page.getByRole('menuitem', { name: item }).click();
  }

  it(
    'a user creates a link on the first screen, copies and opens it, and sees its click',
    async () => {
      const { page } = browser;
      await browser.go('');
      await page.getByText('First steps').waitFor();
      await page.getByLabel('Shorten a link').fill('example.com/journey');
      await page.getByRole('button', { name: 'Shorten', exact: true }).click();
      await page.locator('.result').getByRole('button', { name: /^Copy/ }).click();
      await page.locator('.result').getByText('Copied').first().waitFor();
      const url = await page.evaluate<string>('navigator.clipboard.readText()');
      expect(url).toMatch(new RegExp(`^${browser.at('/')}\\w{7}$`));
      const followed = await visit(service, url.split('/').at(-1)!);
      expect(followed.headers['location']).toBe('https://example.com/journey');
      await eventually('the click is stored', async () => {
        const { body } = await call('get', '/api/v1/urls');
        return body.items?.[0].total_clicks === 1;
      });
      await browser.go('');
      await page
        .locator('.totals', { hasText: 'Clicks today' })
        .getByText('1', { exact: true })
        .first()
        .waitFor();
      await page.locator('.hot').getByRole('link').first().click();
      await page.getByRole('heading', { level: 1 }).getByText(url.replace('http://', '')).waitFor();
      await page.locator('.statistics .totals').getByText('1', { exact: true }).first().waitFor();
    },
    LIMITS,
  );

  it(
    'three of 25 links are deleted and restored by undo, and a fourth is deleted permanently',
    async () => {
      for (let i = 0; i < 25; i++) await make({ alias: `many-${i + 10}` });
      const { page } = browser;
      await browser.go('/links');
      await page.getByText('25 links').waitFor();
      expect(await page.locator('[data-row]').count()).toBe(25);
      for (const name of ['many-34', 'many-33', 'many-32']) {
        await fromMenu(name, 'Delete');
      }
      await page.getByText('22 links').waitFor();
      await page.getByText('3 links deleted').waitFor();
      expect((await call('get', '/api/v1/urls')).body.total).toBe(25);
      await page.getByRole('button', { name: 'Undo' }).click();
      await page.getByText('25 links').waitFor();
      await page.getByRole('link', { name: 'many-33' }).waitFor();
      await fromMenu('many-20', 'Delete');
      await page.getByRole('button', { name: 'Close and apply now' }).click();
      await eventually(async () => (await call('get', '/api/v1/urls')).body.total === 24);
      await page.getByText('24 links').waitFor();
      // Leaving the page confirms the deletion.
      await fromMenu('many-21', 'Delete');
      await page.goto('about:blank');
      await eventually(async () => (await call('get', '/api/v1/urls')).body.total === 23);
    },
    LIMITS,
  );

  it(
    'a link without remaining clicks shows this, and is active again with a higher limit',
    async () => {
      const { alias, id } = await make({ max_clicks: 1 });
      expect((await visit(service, alias)).status).toBe(302);
      expect((await visit(service, alias)).status).toBe(410);
      await eventually('it is closed', async () => {
        const { body } = await call('get', `/api/v1/urls/${id}`);
        return body.status === 'INACTIVE' && body.total_clicks === 1;
      });
      const { page } = browser;
      await browser.go(`/links/${id}?view=settings`);
      await page.getByText('Used up').waitFor();
      await page.getByText('1 of 1 clicks').waitFor();
      await page.getByLabel('Click limit').fill('5');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('1 of 5 clicks').waitFor();
      await page.locator('.link-name').getByText('Active').waitFor();
      expect((await visit(service, alias)).status).toBe(302);
    },
    LIMITS,
  );

  it(
    'a link with a password from the drawer rejects a wrong password and accepts the correct one',
    async () => {
      const { page } = browser;
      await browser.go('/links');
      await page.getByRole('button', { name: 'New link' }).first().click();
      const form = page.getByRole('dialog');
      await form.getByLabel('Destination').fill('example.com/behind-a-password');
      await form.getByLabel('Alias').fill('secret-one');
      await form.getByText('This alias is available.').waitFor();
      await form.getByRole('button', { name: 'Access' }).click();
      await form.getByLabel('Password').fill('too simple');
      await form.getByRole('button', { name: 'Shorten' }).click();
      await form.locator('.field-problem').waitFor();
      expect(await page.evaluate('document.activeElement.name')).toBe('password');
      await form.getByLabel('Password').fill('blue.sky7');
      await form.getByRole('button', { name: 'Shorten' }).click();
      await form.getByText('Your short link').waitFor();
      const asked = (password: string) =>
        visit(service, 'secret-one', { 'X-Link-Password': password });
      expect((await asked('red.sky77')).status).toBe(401);
      expect((await asked('blue.sky7')).status).toBe(302);
      await page.keyboard.press('Escape');
      await form.waitFor({ state: 'detached' });
      await page
        .locator('tr', { hasText: 'secret-one' })
        .getByText('Password-protected')
        .waitFor({ state: 'attached' });
    },
    LIMITS,
  );

  it(
    'a key is shown once, works, and is rejected after it is revoked',
    async () => {
      const { page } = browser;
      await browser.go('/keys');
      await page.getByRole('main').getByRole('button', { name: 'New key' }).click();
      const form = page.getByRole('dialog');
      await form.getByRole('button', { name: 'Create key' }).click();
      await form.locator('.field-problem').waitFor();
      await form.getByLabel('Name').fill('Journey <b>key</b>');
      await form.getByLabel('Read links').check();
      await form.getByRole('button', { name: 'Create key' }).click();
      const token = await form.locator('.secret').innerText();
      expect(token).toMatch(/^svc_[\w-]{43}$/);
      const list = () => request(service.url).get('/api/v1/urls').set(bearer(token));
      expect((await list()).status).toBe(200);
      await form.getByRole('button', { name: 'I have saved the key' }).click();
      await page.getByRole('heading', { name: 'Journey <b>key</b>' }).waitFor();
      expect(await page.content()).not.toContain(token);
      await page.getByRole('button', { name: 'Revoke' }).click();
      await page.getByRole('button', { name: 'Undo' }).click();
      await page.getByRole('button', { name: 'Revoke' }).click();
      expect((await list()).status).toBe(200);
      await page.getByRole('button', { name: 'Close and apply now' }).click();
      await page.getByText('Revoked', { exact: true }).waitFor();
      expect((await list()).status).toBe(401);
    },
    LIMITS,
  );

  it(
    'a keyboard is enough to create, find, open, change, delete and restore links',
    async () => {
      await make({ alias: 'first-row' });
      const { page } = browser;
      const focused = () => page.evaluate<string>('document.activeElement.textContent');
      const waitForFocus = (on: Locator) => on.and(page.locator(':focus')).waitFor();
      const host = `localhost:${service.port}`;
      await browser.go('/links');
      await page.keyboard.press('n');
      await page.getByRole('dialog').waitFor();
      await page.keyboard.type('example.com/by-keyboard');
      await page.keyboard.press('Tab');
      await page.keyboard.type('by-keyboard');
      await page.keyboard.press('Enter');
      await page.getByText('Your short link').waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      await page.keyboard.press('/');
      await waitForFocus(page.getByRole('searchbox'));
      await page.keyboard.type('-');
      await page.waitForURL(/search=-/);
      await settled(page);
      await page.getByRole('link', { name: 'by-keyboard' }).waitFor();
      await page.keyboard.press('ArrowDown');
      expect(await focused()).toBe(`${host}/by-keyboard`);
      await page.locator('main h1').focus();
      await page.keyboard.press('ArrowDown');
      expect(await focused()).toBe(`${host}/by-keyboard`);
      await page.keyboard.press('ArrowDown');
      expect(await focused()).toBe(`${host}/first-row`);
      await page.keyboard.press('x');
      await page.getByText('1 selected').waitFor();
      await page.keyboard.press('x');
      await page.getByText('1 selected').waitFor({ state: 'detached' });
      await page.keyboard.press('Delete');
      await page.getByText('first-row deleted').waitFor();
      await page.keyboard.press('z');
      await page.getByRole('link', { name: 'first-row' }).waitFor();
      await page.keyboard.press('Home');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { level: 1, name: /by-keyboard/ }).waitFor();
      await settled(page);
      expect(await focused()).toContain('by-keyboard');
      await page.keyboard.press('?');
      await page.getByRole('heading', { name: 'Keyboard shortcuts' }).waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    },
    LIMITS,
  );

  it('links created before sign-up are added to the account', async () => {
    const { page } = browser;
    const { body } = await shorten(service, { long_url: 'https://example.com/before' });
    const claims = `${body.id}.${body.claim_token}`;
    await page.context().addCookies([{ name: 'claims', value: claims, url: browser.at('/') }]);
    await browser.go('');
    await page.getByText('You created a link in this browser before you signed in.').waitFor();
    await page.getByRole('button', { name: 'Add 1 link to your account' }).click();
    await page.waitForURL(browser.at('/dashboard/links'));
    const name = (body.short_url as string).replace('http://', '');
    await page.getByRole('link', { name, exact: true }).waitFor();
    await browser.go('');
    await settled(page);
    expect(await page.getByText('before you signed in').count()).toBe(0);
  });

  it('a row has a menu that works by keyboard and on a phone, and returns the focus to its button', async () => {
    const { alias, id } = await make({ alias: 'in-menu' });
    await make({ alias: 'other-row' });
    const { page } = browser;
    await page.addInitScript(
      'navigator.share = (what) => { globalThis.shared = what; return Promise.resolve(); }',
    );
    const focused = () => page.evaluate<string>('document.activeElement.innerText.trim()');
    await browser.go('/links');
    const button = page.getByRole('button', { name: 'Actions for in-menu' });
    await button.focus();
    await page.keyboard.press('ArrowUp');
    await page.getByRole('menu', { name: 'Actions for in-menu' }).waitFor();
    await page.locator('[role="menuitem"]:focus').waitFor();
    expect(await button.getAttribute('aria-expanded')).toBe('true');
    expect(await focused()).toBe('Delete');
    await page.keyboard.press('ArrowDown');
    expect(await focused()).toBe('Copy');
    await page.keyboard.press('End');
    expect(await focused()).toBe('Delete');
    await page.keyboard.press('Home');
    await page.keyboard.press('s');
    expect(await focused()).toBe('Share');
    await page.keyboard.press('s');
    expect(await focused()).toBe('Statistics');
    await page.keyboard.press('n');
    expect(await page.getByRole('dialog').count()).toBe(0);
    await page.keyboard.press('Escape');
    await page.getByRole('menu').waitFor({ state: 'detached' });
    expect(await button.evaluate((it) => it === it.ownerDocument.activeElement)).toBe(true);
    expect(await page.getByRole('menu').count()).toBe(0);
    await page.keyboard.press('Enter');
    await page.locator('[role="menuitem"]:focus', { hasText: 'Copy' }).waitFor();
    await page.keyboard.press('q');
    await page.keyboard.press('Enter');
    await page.getByRole('img', { name: /QR code for/ }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await button.evaluate((it) => it === it.ownerDocument.activeElement)).toBe(true);
    await page.setViewportSize({ width: 360, height: 740 });
    await fromMenu(alias, 'Share');
    expect(await page.evaluate('globalThis.shared')).toEqual({ url: browser.at('/in-menu') });
    await fromMenu(alias, 'Copy');
    await page.locator('.toast').getByText('Copied').waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(browser.at('/in-menu'));
    await fromMenu(alias, 'Pause');
    await page.getByText('in-menu paused').waitFor();
    await page.locator('tr', { hasText: alias }).locator('.dates').getByText('Paused').waitFor();
    expect((await visit(service, alias)).status).toBe(410);
    await fromMenu(alias, 'Resume');
    await page.getByText('in-menu resumed').waitFor();
    expect((await visit(service, alias)).status).toBe(302);
    await page.getByLabel('Sort by').selectOption('Oldest first');
    await page.waitForURL(/order=ascending/);
    await page.getByText('No clicks yet').first().waitFor();
    await page.setViewportSize({ width: 1100, height: 800 });
    await fromMenu(alias, 'Edit');
    await page.waitForURL(`**/links/${id}?view=settings`);
    await page.getByRole('heading', { name: 'Pause or delete' }).waitFor();
  });

  it('a form keeps all pasted text, and shows all problems together', async () => {
    await make({ alias: 'taken-name' });
    const { page } = browser;
    await browser.go('/links?new=1');
    const form = page.getByRole('dialog');
    const [destination, alias] = [form.getByLabel('Destination'), form.getByLabel('Alias')];
    await alias.focus();
    await page.evaluate("navigator.clipboard.writeText('black-friday-instagram-2026')");
    await page.keyboard.press('Control+V');
    expect(await alias.inputValue()).toBe('black-friday-instagram-2026');
    await form.getByText('You have entered 27 characters. Use at most 16.').waitFor();
    expect(await form.getByText('This alias is available.').count()).toBe(0);
    await page.evaluate(
      "navigator.clipboard.writeText('https://one.example/\\nhttps://two.example/')",
    );
    await destination.focus();
    await page.keyboard.press('Control+V');
    await form.getByText('You have entered two addresses').waitFor();
    await form.getByRole('button', { name: 'Access' }).click();
    await form.getByLabel('Expires').fill('2020-01-01T00:00');
    await form.getByLabel('Click limit').fill('0');
    await form.getByLabel('Password').fill('short');
    const sent: string[] = [];
    page.on('request', (request) => {
      if (request.method() !== 'GET') sent.push(request.url());
    });
    await form.getByRole('button', { name: 'Shorten' }).click();
    await form.getByText('This time is in the past').waitFor();
    expect(await form.locator('.field-problem').count()).toBe(5);
    expect(await page.evaluate('document.activeElement.name')).toBe('long_url');
    expect(sent).toEqual([]);
    await alias.fill('taken-name');
    const taken = form.locator('.field-problem', { hasText: 'This alias is taken' });
    await taken.waitFor();
    expect(await alias.getAttribute('aria-invalid')).toBe('true');
  });

  it('the drawer returns the focus to the button that opened it', async () => {
    const { page } = browser;
    await browser.go('/links');
    const opener = page.locator('.top').getByRole('button', { name: 'New link' });
    await opener.press('Enter');
    await page.getByRole('dialog').waitFor();
    expect(await page.evaluate('document.activeElement.name')).toBe('long_url');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.waitForFunction("document.activeElement.textContent === 'New link'");
  });

  it('search, filters, order and page are in the address, and remain after Back and a reload', async () => {
    for (let i = 0; i < 30; i++)
      await make({ alias: `paged-${i + 10}`, max_clicks: i < 2 ? 9 : undefined });
    const { page } = browser;
    await browser.go('/links?sort=total_clicks');
    await page.getByRole('button', { name: 'Next' }).click();
    await page.getByText('Page 2 of 2').waitFor();
    expect(page.url()).toBe(browser.at('/dashboard/links?sort=total_clicks&page=2'));
    await page.reload();
    await page.getByText('Page 2 of 2').waitFor();
    await page.goBack();
    await page.getByText('Page 1 of 2').waitFor();
    await page.getByRole('button', { name: /Filters/ }).click();
    await page.getByLabel('Click limit').selectOption('yes');
    await page.getByText('2 links').waitFor();
    await page.getByLabel('Search links').fill('paged-11');
    await page.getByText('1 link', { exact: true }).waitFor();
    expect(page.url()).toBe(
      browser.at('/dashboard/links?sort=total_clicks&limit=yes&search=paged-11'),
    );
  });

  it('on a phone, four tabs and a menu link to all screens', async () => {
    const { page } = browser;
    await page.setViewportSize({ width: 360, height: 740 });
    await browser.go('');
    const main = page.getByRole('navigation', { name: 'Main' });
    const tabs = ['Overview', 'Links', 'Tags', 'Analytics'];
    expect(await main.getByRole('link').allInnerTexts()).toEqual(tabs);
    await main.getByRole('button', { name: 'More' }).click();
    await main.getByRole('link', { name: 'Domains' }).click();
    await page.getByRole('heading', { level: 1, name: 'Domains' }).waitFor();
    await main.getByRole('link', { name: 'Domains' }).waitFor({ state: 'hidden' });
  });

  it.each([
    [320, 256],
    [740, 360],
  ])('the filters fill a window of %d by %d pixels', async (width, height) => {
    const { page } = browser;
    await page.setViewportSize({ width, height });
    await browser.go('/links');
    await page.getByRole('button', { name: /Filters/ }).click();
    const sheet = page.locator('#link-filters');
    const box = await sheet.boundingBox();
    expect(box?.width).toBe(width);
    expect(box?.height).toBeGreaterThan(height * 0.8);
    await page.getByLabel('Click limit').selectOption('no');
    await page.waitForURL(/limit=no/);
    await sheet.getByRole('button', { name: 'Close' }).click();
    await sheet.waitFor({ state: 'hidden' });
  });

  it('an unknown address shows an error inside the app', async () => {
    const { page } = browser;
    await browser.go('/nothing/here');
    await page.getByRole('heading', { name: 'Page not found' }).waitFor();
    await page.getByRole('link', { name: 'Go to the overview' }).click();
    await page.getByLabel('Shorten a link').waitFor();
    await browser.go('/links/0123456789abcdef01234567');
    await page.getByText('This link is not in your account').waitFor();
    expect(new URL(page.url()).pathname).toBe('/dashboard/links/0123456789abcdef01234567');
  });

  it('the settings change the name and the password, and end a session', async () => {
    const { page } = browser;
    const other = await request(service.url)
      .post('/auth/login')
      .send({ email: account.email, password: account.password });
    expect(other.status).toBe(200);
    await browser.go('/settings');
    await page.getByLabel('Name').fill('Ada <i>Byron</i>');
    await page
      .locator('form', { hasText: 'Profile' })
      .getByRole('button', { name: 'Save' })
      .click();
    await page.getByText('Saved').waitFor();
    await page.getByRole('button', { name: 'Account', exact: true }).click();
    await page.getByText('Ada <i>Byron</i>').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Sign out' }).first().click();
    await page.getByText('Session ended').waitFor();
    await page.getByLabel('Current password').fill('wrong');
    await page.getByLabel('New password').fill('An0ther-Horse');
    const change = page.getByRole('button', { name: 'Change password' });
    await change.click();
    await page.locator('.field-problem').waitFor();
    await page.getByLabel('Current password').fill(account.password);
    await change.click();
    await page.getByText('Password changed').waitFor();
    const again = await request(service.url)
      .post('/auth/login')
      .send({ email: account.email, password: 'An0ther-Horse' });
    expect(again.status).toBe(200);
    await browser.go('/links');
    await page.getByText('No links yet').waitFor();
  });

  it('the chosen appearance applies from the first moment of the next page', async () => {
    const { page } = browser;
    await browser.go('');
    await page.getByRole('button', { name: 'Switch to dark mode' }).click();
    await page.reload();
    expect(await page.locator('html').getAttribute('data-theme')).toBe('dark');
    await page.getByRole('button', { name: 'Switch to light mode' }).click();
    expect(await page.locator('html').getAttribute('data-theme')).toBe('light');
  });
});
