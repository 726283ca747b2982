import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Connection } from 'mongoose';
import { Browser, describeInBrowser } from '../../support/browser';
import { clicksCounted, startWithDatabase } from '../../support/database';
import type { Service } from '../../support/service';

describeInBrowser('in a browser without JavaScript', () => {
  let service: Service;
  let database: Connection;
  let stop: () => Promise<void>;
  let destination: Server;
  let landing: string;
  let browser: Browser;

  beforeAll(async () => {
    ({ service, database, stop } = await startWithDatabase());
    destination = createServer((_, response) => {
      response.setHeader('Content-Type', 'text/html').end('<h1>Arrived</h1>');
    });
    await new Promise<void>((resolve) => destination.listen(0, '127.0.0.1', resolve));
    landing = `http://127.0.0.1:${(destination.address() as AddressInfo).port}/landing?x=1`;
  });
  beforeEach(async () => {
    browser = await Browser.open();
  });
  afterEach(() => browser.close());
  afterAll(async () => {
    await stop();
    await new Promise((resolve) => destination.close(resolve));
  });

  const at = (path: string): string => `http://localhost:${service.port}${path}`;
  const heading = (): Promise<string> => browser.page.locator('h1').innerText();

  it('a person shortens a URL, follows the link and sees the click in the statistics', async () => {
    const { page } = browser;
    await page.goto(at('/'));
    await page.getByLabel('Long address').fill(landing);
    await page.getByRole('button', { name: 'Shorten' }).click();
    expect(await heading()).toBe('Your short link');
    const alias = new URL(page.url()).pathname.replace('/result/', '');
    expect(await page.getByLabel('Copy this link').inputValue()).toBe(at(`/${alias}`));

    await page.getByRole('link', { name: 'Preview' }).click();
    expect(await page.locator('.destination').innerText()).toBe(landing);
    await page.getByRole('link', { name: 'Open', exact: true }).click();
    expect(page.url()).toBe(landing);
    expect(await heading()).toBe('Arrived');
    await clicksCounted(database, alias, 1);

    await page.goto(at('/stats'));
    await page.getByLabel('Short link or code').fill(at(`/${alias}`));
    await page.getByRole('button', { name: 'Show' }).click();
    expect(page.url()).toBe(at(`/stats/${alias}`));
    await page.getByRole('link', { name: 'Show all 1 click' }).click();
    expect(await page.locator('.totals div').first().innerText()).toBe('Clicks\n1');
    expect(await page.locator('.plot rect').count()).toBeGreaterThanOrEqual(1);
    expect(await page.getByRole('rowheader', { name: 'Chrome', exact: true }).count()).toBe(1);

    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'CSV' }).click(),
    ]);
    expect(file.suggestedFilename()).toBe(`curtail-export-${alias}-csv.zip`);
    expect(browser.complaints).toEqual([]);
  });

  it('the form keeps its input and explains each problem', async () => {
    const { page } = browser;
    await page.goto(at('/'));
    await page.getByLabel('Long address').fill(landing);
    await page.getByText('Options').click();
    await page.getByLabel('Alias').fill('stats');
    await page.getByRole('button', { name: 'Shorten' }).click();
    expect(await page.getByRole('alert').innerText()).toBe('Invalid alias: it is reserved');
    expect(await page.getByLabel('Long address').inputValue()).toBe(landing);
    await page.getByLabel('Alias').fill('in-a-browser');
    await page.getByRole('button', { name: 'Shorten' }).click();
    expect(page.url()).toBe(at('/result/in-a-browser'));
  });

  it('emoji links work, from the form to the statistics', async () => {
    const { page } = browser;
    await page.goto(at('/'));
    await page.getByLabel('Long address').fill(landing);
    await page.getByRole('button', { name: 'With emoji' }).click();
    await page.locator('#short-url').click();
    expect(page.url()).toBe(landing);
    await page.goBack({ waitUntil: 'commit' });
    const alias = decodeURIComponent(new URL(page.url()).pathname.replace('/result/', ''));
    await clicksCounted(database, alias, 1);
    await page.locator('main').getByRole('link', { name: 'Statistics' }).click();
    expect(await page.locator('.address').innerText()).toBe(at(`/${alias}`));
    await page.getByRole('link', { name: 'Show all 1 click' }).click();
    expect(await page.locator('.totals div').first().innerText()).toBe('Clicks\n1');
  });

  it('a link with a password asks for it, rejects a wrong one, and opens with the correct one', async () => {
    const { page } = browser;
    await page.goto(at('/'));
    await page.getByLabel('Long address').fill(landing);
    await page.getByText('Options').click();
    await page.getByLabel('Password').fill('Geheim1@x');
    await page.getByLabel('Alias').fill('locked-link');
    await page.getByRole('button', { name: 'Shorten' }).click();

    await page.goto(at('/locked-link'));
    expect(await heading()).toBe('Password required');
    await page.getByLabel('Password').fill('not this one');
    await page.getByRole('button', { name: 'Open the link' }).click();
    expect(await page.getByRole('alert').innerText()).toContain('wrong');
    await page.getByLabel('Password').fill('Geheim1@x');
    await page.getByRole('button', { name: 'Open the link' }).click();
    expect(page.url()).toBe(landing);
    await clicksCounted(database, 'locked-link', 1);

    await page.goto(at('/stats/locked-link'));
    await page.getByLabel('Link password').fill('Geheim1@x');
    await page.getByRole('button', { name: 'Continue' }).click();
    expect(page.url()).toBe(at('/stats/locked-link'));
    await page.getByRole('link', { name: 'Show all 1 click' }).click();
    expect(await page.locator('.totals div').first().innerText()).toBe('Clicks\n1');
  });

  it.each([
    [1100, false],
    [390, true],
  ])('pages fit a width of %i pixels, and error pages say what to do next', async (width, dark) => {
    await browser.close();
    browser = await Browser.open({ width, dark });
    const { page } = browser;
    for (const [path, status] of [
      ['/', 200],
      ['/stats', 200],
      ['/nobody', 404],
      ['/nobody+', 404],
    ] as const) {
      const answer = await page.goto(at(path));
      expect(answer?.status()).toBe(status);
      const main = await page.locator('main').boundingBox();
      expect(main!.x + main!.width).toBeLessThanOrEqual(width);
    }
    expect(await heading()).toBe('Nothing here');
    await page.getByRole('link', { name: 'Shorten a link' }).click();
    expect(await heading()).toBe('Shorten a link');
    expect(browser.complaints.filter((text) => !text.includes('404'))).toEqual([]);
  });
});
