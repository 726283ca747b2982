import type { Page } from 'playwright-core';
import request from 'supertest';
import { AppBrowser } from '../../support/app/app-browser';
import { describeInBrowser } from '../../support/browser';
import { aVerifiedAccount, type TestAccount } from '../../support/factories/accounts';
import { SCRIPT } from '../../support/hostile-texts';
import { bearer } from '../../support/http';
import { type Service, startService } from '../../support/service';

const LINES = 300;

describeInBrowser('many links, created at once in the app', () => {
  let service: Service;
  let browser: AppBrowser;
  let account: TestAccount;
  let page: Page;
  beforeAll(async () => {
    service = await startService();
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
  afterEach(() =>
    expect(browser.complaints().filter((text) => !text.includes('ERR_FAILED'))).toEqual([]),
  );

  const list = async () => {
    const path = '/api/v1/urls?pageSize=100&sortBy=created_at';
    return (await request(service.url).get(path).set(bearer(account.accessToken))).body;
  };

  it.each([1280, 360])(
    '25 pasted lines become links whose addresses are copied, at a width of %i pixels',
    async (width) => {
      await page.setViewportSize({ width, height: 740 });
      await browser.go('/links');
      await page.getByRole('button', { name: 'Create many' }).click();
      const form = page.getByRole('dialog');
      const lines = Array.from({ length: 25 }, (_, i) => `https://example.com/${i}?a=1,2;3`);
      await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(lines.join('\n'))})`);
      await form.getByLabel('Destinations').focus();
      await page.keyboard.press('Control+V');
      await form.getByText('0 of 25 lines have problems').waitFor();
      await form.getByRole('button', { name: 'Create 25 links' }).click();
      await form.getByText('25 links created').waitFor();
      await form.getByRole('button', { name: 'Copy all' }).click();
      await form.getByText('Copied').first().waitFor();
      const copied = (await page.evaluate<string>('navigator.clipboard.readText()')).split('\n');
      const { total, items } = await list();
      const listed = items as { short_url: string; long_url: string }[];
      expect(total).toBe(25);
      const made = new Map<string, string>(listed.map((link) => [link.short_url, link.long_url]));
      expect(copied.map((url) => made.get(url))).toEqual(lines);
      await form.getByRole('button', { name: 'Show links' }).click();
      await page.getByText('25 links').waitFor();
    },
  );

  it('293 links are created once from 300 lines with 7 errors, even if a response is lost', async () => {
    const faults: Readonly<Record<number, string>> = {
      5: ',no-address,,',
      40: 'nonsense,a-word,,',
      77: 'https://example.com/x,ab,,',
      123: `https://example.com/x,,${'t'.repeat(201)},`,
      180: 'https://example.com/x,,,(none)',
      222: 'ftp://example.com/x,,,',
      299: 'https://example.com/x,file-0,again,',
    };
    const lines = Array.from(
      { length: LINES },
      (_, i) =>
        faults[i] ?? `https://example.com/${i},file-${i},"Title ${i}, ${SCRIPT}",spring|file`,
    );
    const content = ['url,alias,title,tags', ...lines].join('\r\n');
    await page.setViewportSize({ width: 1280, height: 900 });
    await browser.go('/links?many=1');
    const form = page.getByRole('dialog');
    await form
      .getByLabel('CSV file')
      .setInputFiles({ name: 'links.csv', mimeType: 'text/csv', buffer: Buffer.from(content) });
    await form.getByText('7 of 300 lines have problems').waitFor();
    await form.getByLabel('Show only these lines').check();
    expect(await form.getByRole('rowheader').allInnerTexts()).toEqual(
      Object.keys(faults).map((line) => String(Number(line) + 2)),
    );
    // The second batch is stored, but its response is lost.
    let asked = 0;
    await page.route('**/api/v1/urls/bulk/create', async (route) => {
      asked += 1;
      if (asked !== 2) return route.continue();
      await route.fetch();
      return route.abort();
    });
    await form.getByRole('button', { name: 'Create 293 links' }).click();
    await form.getByText('100 of 293 lines done').first().waitFor();
    await form.getByRole('button', { name: 'Try again' }).click();
    await form.getByText('293 links created').waitFor();
    expect([asked, (await list()).total]).toEqual([4, 293]);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      form.getByRole('button', { name: 'Download CSV' }).click(),
    ]);
    const chunks: Buffer[] = [];
    for await (const chunk of await download.createReadStream()) chunks.push(chunk as Buffer);
    const file = Buffer.concat(chunks).toString().trim().split('\r\n');
    expect(file).toHaveLength(294);
    expect(file[1]).toContain(
      `/file-0","https://example.com/0","Title 0, ${SCRIPT}","spring, file"`,
    );
    await form.getByText('293 links created, 7 lines rejected').waitFor();
    await form.getByRole('button', { name: 'Download the 7 lines with their problems' }).waitFor();
    await form.getByRole('button', { name: 'Correct 7 lines' }).click();
    // The service knows the alias that the seventh line repeats.
    await form.getByText('6 of 7 lines have problems').waitFor();
    expect(await form.getByLabel('Destinations').inputValue()).toBe(
      [
        ['url', 'alias', 'title', 'tags'].join('\t'),
        ...Object.values(faults).map((line) => line.split(',').join('\t')),
      ].join('\n'),
    );
  });

  it('errors appear next to their lines, and the other links are created', async () => {
    const taken = { long_url: 'https://example.com/', alias: 'taken-row' };
    await request(service.url).post('/api/v1/shorten').set(bearer(account.accessToken)).send(taken);
    await browser.go('/links?many=1');
    const form = page.getByRole('dialog');
    await form
      .getByLabel('Destinations')
      .fill('url\talias\nexample.com/a\ttaken-row\nexample.com/b\tfree-row');
    await form.getByRole('button', { name: 'Create 2 links' }).click();
    await form.getByText('1 link created, 1 line rejected').waitFor();
    await form
      .getByRole('row', { name: /taken-row/ })
      .getByText('This alias is taken')
      .waitFor();
    expect((await list()).total).toBe(2);
  });
});
