import type { Page } from 'playwright-core';
import { ApiClient } from '../../support/api-client';
import { AppBrowser } from '../../support/app/app-browser';
import { describeInBrowser } from '../../support/browser';
import { Answer, FAULTS, type JsonService } from '../../support/imports/json-service';
import { aSpooLink, type SpooLink, spooService } from '../../support/imports/spoo-service';
import { limitsFile } from '../../support/limits';
import { type Service, startService } from '../../support/service';

const KEY = 'key-that-nobody-may-read';

describeInBrowser('imports from services, in the app', () => {
  let service: Service;
  let browser: AppBrowser;
  let page: Page;
  let spoo: JsonService;
  let links: SpooLink[];
  beforeAll(async () => {
    const rows = ['create', 'read', 'run', 'change', 'rows', 'report'];
    const off = Object.fromEntries(rows.map((row) => [`imports.${row}`, 'off']));
    const env = { LIMITS_FILE: limitsFile(off), OUTBOUND_ALLOWED_NETWORKS: '127.0.0.0/8' };
    service = await startService({ env });
    browser = await AppBrowser.open(service);
    page = browser.page;
  });
  afterAll(async () => {
    await browser.close();
    await service.stop();
  });
  beforeEach(async () => {
    await browser.signIn((await ApiClient.on(service)).account);
    links = [];
    spoo = spooService(links, {}, KEY);
    await spoo.start();
  });
  afterEach(() => {
    spoo.stop();
    expect(browser.complaints()).toEqual([]);
  });

  const expectSound = (): Promise<void> => browser.expectSound();
  const click = (name: string): Promise<void> =>
    page.getByRole('button', { name, exact: true }).click();
  const state = (text: string): Promise<void> =>
    page.locator('.standing', { hasText: new RegExp(`^${text}`) }).waitFor();
  async function choose(source: string, address = ''): Promise<void> {
    await browser.go('/import');
    await page.getByRole('radio', { name: 'An address and a key' }).check();
    await page.getByLabel('Source').selectOption(source);
    await page.getByRole('textbox', { name: /^Address/ }).fill(address);
  }
  async function ask(key = KEY): Promise<void> {
    await choose('spoo.me (API)', spoo.url);
    await page.getByLabel('API key').fill(key);
    await click('Check');
    await page.getByRole('heading', { level: 1, name: 'Import from spoo.me (API)' }).waitFor();
  }

  it.each([1280, 360])(
    'are checked, imported, verified and synced, at a width of %i',
    async (width) => {
      await page.setViewportSize({ width, height: 900 });
      links.push(aSpooLink(`one.${width}`), aSpooLink(`two.${width}`));
      await choose('Shlink (API)');
      await click('Check');
      await page.getByText('Enter the service’s address.').waitFor();
      await page.getByText('Enter an API key for the service.').waitFor();
      expect(await page.locator('input[name="base_url"]:focus').count()).toBe(1);
      expect(await page.getByLabel('API key').getAttribute('type')).toBe('password');
      await expectSound();

      await ask();
      await state('Checked, not yet imported');
      await click('Import 2 links');
      await state('Imported');
      await page.getByRole('heading', { name: 'Verification' }).waitFor();
      await page.getByText('No differences were found.').waitFor();
      await expectSound();

      links.push(aSpooLink(`three.${width}`));
      await click('Sync');
      await page.getByText('Last sync:').waitFor();
      await state('Imported');
      await page.getByRole('row', { name: 'New 3' }).waitFor();
      await expectSound();

      await page.getByRole('link', { name: 'All imports' }).click();
      const host = new URL(spoo.url).host;
      await page.getByRole('row', { name: `${host} spoo.me (API) Imported` }).waitFor();
      expect(await page.content()).not.toContain(KEY);
      expect(await page.evaluate('JSON.stringify(sessionStorage)')).not.toContain(KEY);
      await expectSound();
    },
  );

  it('show the time of the next request to a service that asked for a pause', async () => {
    await page.setViewportSize({ width: 1280, height: 900 });
    links.push(aSpooLink(`waits.${process.pid}`));
    spoo.faults.push(new Answer(429, {}, { 'Retry-After': '3600' }));
    await ask();
    await state('Waiting for the other service');
    const standing = page.getByRole('status').filter({ hasText: 'received too many requests' });
    await standing.filter({ hasText: /continues at \d\d:\d\d/ }).waitFor();
    await expectSound();
    await click('Cancel');
    await state('Cancelled');
  });

  it('explain why an address or a key is invalid', async () => {
    await choose('spoo.me (API)', 'http://10.0.0.1');
    await page.getByLabel('API key').fill(KEY);
    await click('Check');
    await page.locator('.field-problem', { hasText: 'is not a public address' }).waitFor();
    await expectSound();
    await ask('another');
    await page.getByRole('alert').getByText('does not accept the credential').waitFor();
    await click('Correct and check again');
    expect(await page.getByRole('textbox', { name: /^Address/ }).inputValue()).toBe(spoo.url);
    expect(await page.getByLabel('API key').inputValue()).toBe('');
    spoo.faults.push(FAULTS.html);
    await ask();
    await page.getByRole('alert').getByText('did not return JSON').waitFor();
    await expectSound();
  });
});
