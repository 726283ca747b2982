import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Locator, Page } from 'playwright-core';
import { ApiClient } from '../../support/api-client';
import { AppBrowser } from '../../support/app/app-browser';
import { describeInBrowser } from '../../support/browser';
import { SCRIPT } from '../../support/hostile-texts';
import { visit } from '../../support/http';
import { type Service, startService } from '../../support/service';

const HEADER = 'Short link,Long URL,Title,Clicks';
/** 1,204 recent clicks by 30 visitors on a link with 1,584 clicks in total. */
function yourlsDump(): string {
  const now = Date.now();
  const clicks = Array.from({ length: 1204 }, (_, i) => {
    const at = new Date(now - (i + 1) * 1_800_000).toISOString().slice(0, 19).replace('T', ' ');
    const address = `203.0.113.${i % 30}`;
    return `(${i + 1},'${at}','moved.y','${i % 3 === 0 ? 'https://t.co/' : 'direct'}','Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0','${address}','DE')`;
  });
  return [
    'CREATE TABLE `yourls_log` (`click_id` int, `click_time` datetime, `shorturl` varchar(100), `referrer` varchar(200), `user_agent` varchar(255), `ip_address` varchar(41), `country_code` char(2));',
    `INSERT INTO \`yourls_log\` VALUES ${clicks.join(',')};`,
    'CREATE TABLE `yourls_url` (`keyword` varchar(100), `url` text, `title` text, `timestamp` timestamp, `ip` varchar(41), `clicks` int);',
    `INSERT INTO \`yourls_url\` VALUES ('moved.y','https://example.com/moved','Moved','2025-01-02 03:04:05','127.0.0.1',1584),('quiet.y','https://example.com/quiet','','2025-01-02 03:04:05','127.0.0.1',0);`,
  ].join('\n');
}

describeInBrowser('imports, in the app', () => {
  let service: Service;
  let browser: AppBrowser;
  let page: Page;
  let owner: ApiClient;
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
    owner = await ApiClient.on(service);
    await browser.signIn(owner.account);
  });
  afterEach(() => expect(browser.complaints()).toEqual([]));

  const expectSound = (): Promise<void> => browser.expectSound();
  const choose = (text: string | Buffer, name = 'links.csv'): Promise<void> =>
    page
      .getByLabel('File', { exact: true })
      .setInputFiles({ name, mimeType: 'text/csv', buffer: Buffer.from(text) });
  const check = (): Promise<void> =>
    page.getByRole('button', { name: 'Check', exact: true }).click();
  const state = (text: string): Promise<void> =>
    page.locator('.standing', { hasText: new RegExp(`^${text}`) }).waitFor();
  const rowOf = (verdict: string | RegExp): Locator => page.getByRole('row', { name: verdict });

  it.each([1280, 360])(
    'are checked, run, verified, reopened and removed, at a width of %i',
    async (width) => {
      await page.setViewportSize({ width, height: 900 });
      const alias = (name: string): string => `${name}.${width}`;
      const stranger = await ApiClient.on(service);
      await stranger.aLink({ alias: `taken-${width}` });
      await browser.go('/links');
      await page.getByRole('link', { name: 'Import links from another shortener' }).click();
      await page.getByRole('heading', { level: 1, name: 'Import' }).waitFor();
      await expectSound();

      await check();
      await page.getByText('Choose the file that you exported from the other service.').waitFor();
      expect(await page.locator('input[type="file"]:focus').count()).toBe(1);
      await page.getByLabel('Source').selectOption('Bitly');
      await choose(
        [
          HEADER,
          `https://bit.ly/${alias('one')},https://example.com/1,${SCRIPT},380`,
          `https://bit.ly/${alias('two')},https://example.com/2,,`,
          `https://bit.ly/taken-${width},https://example.com/3,,4`,
          `https://bit.ly/${alias('bad')},"javascript:alert(1)",${SCRIPT},`,
        ].join('\n'),
        `${SCRIPT}.csv`,
      );
      await check();
      await page.getByRole('heading', { level: 1, name: 'Import from Bitly' }).waitFor();
      await state('Checked, not yet imported');
      await rowOf(/^New 2$/).waitFor();
      await page.getByRole('button', { name: 'Skipped: another link has this alias' }).click();
      await page.getByText('Row 4').waitFor();
      await page.getByText('https://example.com/3', { exact: true }).waitFor();
      await expectSound();
      expect((await owner.list()).body.total).toBe(0);

      // Only options that these rows need: one alias is taken, and the clicks are totals.
      const options = page.getByRole('group', { name: 'Options' });
      await options.getByText('The source has only totals').waitFor();
      expect(await options.locator('label').allInnerTexts()).toEqual([
        'If an alias is taken',
        'Click history',
        'Tags (optional)',
      ]);
      const conflict = options.getByLabel('If an alias is taken');
      await conflict.selectOption('Import it with another alias');
      await page.getByRole('button', { name: 'Import 3 links' }).waitFor();
      await conflict.selectOption('Skip the link');
      await options.getByRole('textbox', { name: 'Tags' }).fill('moved, from bitly');
      await page.getByRole('button', { name: 'Import 2 links' }).click();
      await state('Imported');
      await page.getByText('2 rows were not imported').waitFor();
      await page.getByRole('heading', { name: 'Verification' }).waitFor();
      await page.getByText('No differences were found.').waitFor();
      // Skipped rows are expanded.
      await page.getByText('javascript:alert(1)').waitFor();
      expect(await page.locator('a[href^="javascript"]').count()).toBe(0);
      await expectSound();
      expect((await visit(service, alias('one'))).headers.location).toBe('https://example.com/1');
      const [first] = (await owner.list()).body.items;
      expect(first.tags).toEqual(['from bitly', 'moved']);
      const [report] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('link', { name: 'Download report' }).click(),
      ]);
      expect(report.suggestedFilename()).toMatch(/^curtail-import-[0-9a-f]{24}\.csv$/);

      await page.getByText('380 clicks as totals per link').waitFor();
      await page.getByText('4 clicks on skipped links').waitFor();
      await owner.aLink({ alias: `other-${width}` });
      await page.getByRole('link', { name: 'Show links' }).click();
      await page.getByText('2 links', { exact: true }).waitFor();
      await expectSound();
      await page.goBack();

      await page.getByRole('link', { name: 'All imports' }).click();
      await page.getByRole('row', { name: /\.csv Bitly Imported 2/ }).waitFor();
      await expectSound();
      await page.getByRole('table').getByRole('link').click();
      await page.getByRole('button', { name: 'Delete' }).click();
      const dialog = page.getByRole('dialog', { name: 'Delete this import?' });
      await dialog.getByRole('button', { name: 'Delete' }).click();
      await page.getByText('Import deleted').waitFor();
      await page.getByRole('table').waitFor({ state: 'detached' });
      expect((await owner.list()).body.total).toBe(3);
    },
  );

  it('are undone after a dialog that shows the number of links', async () => {
    await page.setViewportSize({ width: 1280, height: 800 });
    await browser.go('/import');
    await page.getByLabel('Source').selectOption('Bitly');
    const rows = ['undo.1', 'undo.2'].map((alias) => `https://bit.ly/${alias},https://a.test/,,`);
    await choose([HEADER, ...rows].join('\n'));
    await check();
    await page.getByRole('button', { name: 'Import 2 links' }).click();
    await state('Imported');
    await page.getByRole('button', { name: 'Undo import' }).click();
    const dialog = page.getByRole('dialog', { name: 'Undo import' });
    await dialog.getByText('Deletes the 2 links that this import created').waitFor();
    await expectSound();
    // The dialog is centred, although the card around it removes bottom margins.
    const box = await dialog.boundingBox();
    expect(Math.abs((box?.y ?? 0) * 2 + (box?.height ?? 0) - 800)).toBeLessThan(4);
    await owner.remove((await owner.list()).body.items[0].id as string);
    await dialog.getByRole('button', { name: 'Delete 2 links' }).click();
    await dialog.getByRole('alert').waitFor();
    await dialog.getByRole('button', { name: 'Delete 1 link' }).click();
    await page.getByText('Import undone: 1 of 1 link deleted').waitFor();
    await state('Undone');
    expect((await owner.list()).body.total).toBe(0);
    expect(await page.getByRole('button', { name: 'Undo import' }).count()).toBe(0);
    await expectSound();
  });

  it('let the user choose columns if the header does not identify them', async () => {
    await page.setViewportSize({ width: 1280, height: 900 });
    await browser.go('/import');
    await page.getByLabel('Source').selectOption('Any CSV file');
    await choose('Ziel,Kürzel\nhttps://example.com/z,ziel.1');
    await check();
    const columns = page.getByRole('group', { name: 'Columns' });
    await columns.getByRole('combobox', { name: 'Destination' }).selectOption('Ziel');
    await columns.getByText('Examples: https://example.com/z').waitFor();
    await columns.getByRole('combobox', { name: 'Alias' }).selectOption('Kürzel');
    await expectSound();
    await check();
    await state('Checked, not yet imported');
    await page.getByRole('button', { name: 'New', exact: true }).click();
    await page.getByText('ziel.1').waitFor();
    await page.getByRole('button', { name: 'Import 1 link' }).click();
    await state('Imported');
    expect((await visit(service, 'ziel.1')).headers.location).toBe('https://example.com/z');

    // This row has the first row's alias but a different destination.
    await browser.go('/import');
    await choose('url,alias\nhttps://example.com/y,ziel.1');
    await check();
    await page.getByRole('row', { name: 'Skipped: imported before 1' }).waitFor();
    expect(await page.getByRole('button', { name: 'Import 0 links' }).isDisabled()).toBe(true);
    await page
      .getByLabel('If a link was imported before')
      .selectOption('Update it from the source');
    await page.getByRole('button', { name: 'Import or update up to 1 link' }).click();
    await page.getByRole('row', { name: 'Updated from the source 1' }).waitFor();
    await page.getByText('No differences were found.').waitFor();
    expect((await visit(service, 'ziel.1')).headers.location).toBe('https://example.com/y');
  });

  it('accept a database dump, including passwords', async () => {
    await browser.go('/import');
    await page.getByLabel('Source').selectOption('Kutt (database dump)');
    await page
      .getByLabel('File', { exact: true })
      .setInputFiles(join('test', 'fixtures', 'dumps', 'kutt-sqlite.sql'));
    await check();
    await page.getByRole('heading', { level: 1, name: 'Import from Kutt' }).waitFor();
    await state('Checked, not yet imported');
    await page.getByRole('button', { name: /^Import \d/ }).click();
    await state('Imported');
    expect((await owner.list()).body.total).toBeGreaterThan(0);
    await expectSound();
  });

  it('import the history in a YOURLS dump, which statistics and lists show', async () => {
    await page.setViewportSize({ width: 1280, height: 900 });
    await browser.go('/import');
    await page.getByLabel('Source').selectOption('YOURLS (database dump)');
    await choose(gzipSync(yourlsDump()), 'yourls.sql.gz');
    await check();
    await state('Checked, not yet imported');
    await page.getByText('1,204 individual clicks').waitFor();
    await page.getByRole('button', { name: 'New', exact: true }).click();
    await page.getByText('moved.y', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Import 2 links' }).click();
    await page.getByText('No differences were found.').waitFor();
    await page.getByText('All imported clicks are in the database.').waitFor();
    await expectSound();

    await page.getByRole('link', { name: 'Show links' }).click();
    await page.getByText('2 links', { exact: true }).waitFor();
    await page.getByRole('table').getByText('380 + 1,204').waitFor();
    await page.getByRole('link', { name: /moved\.y$/ }).click();
    const totals = page.locator('dl.totals');
    await totals.getByText('380 + 1,204').waitFor();
    const figure = (name: string): Promise<string> =>
      totals.locator('div', { hasText: name }).locator('dd').first().innerText();
    expect(await figure('Clicks')).toContain('380 imported as a total, 1,204 recorded');
    expect(await figure('Visitors')).toBe('30');
    await expectSound();
  });

  it('explain why a file is invalid, and import nothing from a file without links', async () => {
    await browser.go('/import');
    await choose('x'.repeat(70_000));
    await check();
    await page.getByRole('alert').getByText('too large for the service').waitFor();
    await choose('no links at all\n\0\0\0');
    await check();
    await page.locator('[role="alert"], .columns, fieldset legend').first().waitFor();
    await choose('url\nnot-an-address\nftp://example.com');
    await check();
    await state('Checked, not yet imported');
    expect(await page.getByRole('button', { name: 'Import 0 links' }).isDisabled()).toBe(true);
    await page.getByText('Nothing in this source can be imported.').waitFor();
    await expectSound();
    // The form has the source and the file again.
    await page.getByRole('button', { name: 'Correct and check again' }).click();
    expect(await page.getByLabel('Source').inputValue()).toBe('bitly_csv');
    expect(
      await page
        .getByLabel('File', { exact: true })
        .evaluate((input) => (input as unknown as { files: { name: string }[] }).files[0]?.name),
    ).toBe('links.csv');
    await check();
    await state('Checked, not yet imported');
  });

  it('show the upload progress, continue on other screens, and ask before the user leaves the page', async () => {
    await browser.go('/import');
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    await page.route('**/api/v1/imports', async (route) => {
      if (route.request().method() === 'POST') await held;
      await route.continue();
    });
    await choose('url,alias\nhttps://example.com/held,held.1');
    await check();
    await page.getByRole('progressbar', { name: 'Upload' }).waitFor();
    await page.getByRole('link', { name: 'Overview' }).click();
    await page.getByRole('link', { name: 'Import', exact: true }).click();
    await page.getByRole('progressbar', { name: 'Upload' }).waitFor();
    const asked = page.waitForEvent('dialog');
    await page.evaluate('setTimeout(() => location.reload())');
    const dialog = await asked;
    expect(dialog.type()).toBe('beforeunload');
    await dialog.dismiss();
    release();
    await state('Checked, not yet imported');
    await page.unroute('**/api/v1/imports');
  });

  it('are hidden from other accounts', async () => {
    const stranger = await ApiClient.on(service);
    await browser.go('/import');
    await choose('url\nhttps://example.com/own');
    await check();
    await state('Checked, not yet imported');
    const address = page.url();
    await browser.signIn(stranger.account);
    await page.goto(address);
    await page.getByRole('alert').getByText('This no longer exists').waitFor();
    expect(await page.getByRole('button', { name: /^Import/ }).count()).toBe(0);
  });
});
