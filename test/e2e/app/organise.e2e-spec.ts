import type { Locator, Page } from 'playwright-core';
import request from 'supertest';
import { eventually } from '../../support/shared/eventually';
import { aClick } from '../../support/shared/click.factory';
import { AppBrowser, settled } from '../../support/app/app-browser';
import { describeInBrowser } from '../../support/browser';
import { aVerifiedAccount, type TestAccount } from '../../support/factories/accounts';
import { QUOTES, SCRIPT } from '../../support/hostile-texts';
import { bearer } from '../../support/http';
import { StatisticsWorld } from '../../support/statistics/statistics-world';

const WEEK = 7 * 86_400_000;
const ARABIC = 'حملة الربيع';

describeInBrowser('organising links in the app', () => {
  let world: StatisticsWorld;
  let browser: AppBrowser;
  let account: TestAccount;
  let page: Page;
  beforeAll(async () => {
    world = await StatisticsWorld.open();
    browser = await AppBrowser.open(world.service);
    page = browser.page;
  });
  afterAll(async () => {
    await browser.close();
    await world.close();
  });
  beforeEach(async () => {
    account = await aVerifiedAccount(world.service);
    await browser.signIn(account);
    await page.setViewportSize({ width: 1280, height: 900 });
  });
  afterEach(() => expect(browser.complaints()).toEqual([]));

  const call = (method: 'get' | 'post' | 'delete', path: string, body?: object) =>
    request(world.service.url)[method](path).set(bearer(account.accessToken)).send(body);
  const status = () => page.locator('main [role="status"].lead');
  const row = (alias: string): Locator => page.locator('tr', { hasText: alias });
  const bar = (): Locator => page.getByRole('region', { name: 'Selected links' });

  async function make(links: readonly object[]): Promise<string[]> {
    const ids: string[] = [];
    for (let at = 0; at < links.length; at += 100) {
      const { status: code, body } = await call('post', '/api/v1/urls/bulk/create', {
        links: links.slice(at, at + 100),
      });
      expect([code, body.summary.failed]).toEqual([200, 0]);
      ids.push(...(body.results as { id: string }[]).map(({ id }) => id));
    }
    return ids;
  }

  it('title, note and tags are set in the drawer, shown in the list, changed, and used as filters', async () => {
    await make([
      { long_url: 'https://example.com/1', alias: 'other-one', tags: ['Spring', 'print'] },
      { long_url: 'https://example.com/2', alias: 'untagged' },
    ]);
    await browser.go('/links?new=1');
    const form = page.getByRole('dialog');
    await form.getByLabel('Destination').fill('example.com/tagged');
    await form.getByLabel('Alias').fill('tagged-one');
    await form.getByRole('button', { name: 'Add a title' }).click();
    await form.locator('[name="title"]:focus').fill(SCRIPT);
    await form.getByRole('button', { name: 'Organise' }).click();
    await form.getByLabel('Note').fill(`${ARABIC}\n${QUOTES}`);
    const tags = form.getByRole('combobox', { name: 'Tags' });
    await tags.fill('spr');
    await form.getByRole('option', { name: 'Spring' }).click();
    await tags.fill(SCRIPT);
    await tags.press('Enter');
    await tags.fill('gone again');
    await tags.press(',');
    await form.getByRole('button', { name: 'Remove gone again' }).click();
    await tags.fill(ARABIC);
    await form.getByRole('button', { name: 'Shorten' }).click();
    await form.getByText('Your short link').waitFor();
    await page.keyboard.press('Escape');
    await row('tagged-one').getByText(SCRIPT, { exact: true }).first().waitFor();
    const { body } = await call('get', '/api/v1/urls?filter={"search":"tagged-one"}');
    expect(body.items[0]).toMatchObject({
      title: SCRIPT,
      note: `${ARABIC}\n${QUOTES}`,
      tags: [SCRIPT, 'Spring', ARABIC].sort((a, b) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1)),
    });

    await row('other-one').getByRole('link', { name: 'Spring' }).click();
    await page.waitForURL('**/links?tags=Spring');
    await status().getByText('2 links, 0 clicks, 0 visitors').waitFor();
    await page.getByRole('button', { name: /Filters/ }).click();
    const group = page.getByRole('group', { name: 'Tags' });
    await group.getByRole('checkbox', { name: 'print' }).check();
    await group.getByRole('radio', { name: 'All of them' }).check();
    await page.waitForURL('**/links?tags=Spring%2Cprint&tagsMode=all');
    await status().getByText('1 link,').waitFor();
    expect(await page.locator('[data-row]').allInnerTexts()).toEqual([
      `localhost:${world.service.port}/other-one`,
    ]);
    await group.getByRole('checkbox', { name: 'Without tags' }).check();
    await page.waitForURL('**/links?untagged=1');
    await row('untagged').waitFor();
    expect(await page.locator('[data-row]').allInnerTexts()).toEqual([
      `localhost:${world.service.port}/untagged`,
    ]);

    await browser.go(`/links/${body.items[0].id}?view=settings`);
    await page.getByText(QUOTES).first().waitFor();
    await page.getByLabel('Title').fill('');
    await page.getByRole('button', { name: 'Remove Spring' }).click();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved', { exact: true }).waitFor();
    const changed = (await call('get', `/api/v1/urls/${body.items[0].id}`)).body;
    expect([changed.title, changed.tags.length]).toEqual([null, 2]);
    expect(await page.locator('main script, dialog script').count()).toBe(0);
  });

  it('tags have a screen on which they are created, renamed, coloured, and deleted unless undone', async () => {
    await browser.go('/tags');
    await page.getByText('No tags yet').waitFor();
    await page.getByRole('button', { name: 'New tag' }).click();
    await page.getByLabel('Name').fill('spring');
    await page.getByRole('radio', { name: 'Teal' }).check();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await make([{ long_url: 'https://example.com/1', tags: ['spring'] }]);
    await eventually(async () => (await call('get', '/api/v1/tags')).body.tags?.[0].links === 1);
    await browser.go('/tags');
    await page.getByRole('row', { name: /spring Teal 1/ }).waitFor();
    await page.getByRole('button', { name: 'Edit spring' }).click();
    await page.getByLabel('Name').fill(' ');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Enter a name for the tag.').waitFor();
    await page.getByLabel('Name').fill(QUOTES);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('row', { name: QUOTES }).waitFor();
    await page.getByRole('button', { name: `Delete ${QUOTES}` }).click();
    await page.getByText('deleted from 1 link').waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('button', { name: `Delete ${QUOTES}` }).click();
    expect((await call('get', '/api/v1/tags')).body.tags).toHaveLength(1);
    await page.getByRole('button', { name: 'Close and apply now' }).click();
    await page.getByText('No tags yet').waitFor();
    await eventually(
      async () => (await call('get', '/api/v1/urls')).body.items?.[0].tags.length === 0,
    );
  });

  it('links are selected by rows, by shift, or all matches, and a single undo restores them', async () => {
    await make(
      Array.from({ length: 60 }, (_, i) => ({
        long_url: `https://example.com/${i}`,
        alias: `bulk-${i + 10}`,
        tags: i < 40 ? ['spring'] : [],
      })),
    );
    await browser.go('/links?sort=alias&order=ascending');
    const box = (alias: string) => page.getByRole('checkbox', { name: `Select ${alias}` });
    await box('bulk-10').check();
    await box('bulk-13').click({ modifiers: ['Shift'] });
    await bar().getByText('4 selected').waitFor();
    await bar().getByRole('button', { name: 'Pause' }).click();
    await row('bulk-12').locator('td').getByText('Paused').waitFor();
    expect((await call('get', '/api/v1/urls?filter={"status":"INACTIVE"}')).body.total).toBe(0);
    await page.getByRole('button', { name: 'Undo' }).click();
    await row('bulk-12').locator('td').getByText('Active').waitFor();
    await bar().getByText('4 selected').waitFor();

    // The selection is kept while paging and cleared by a new filter.
    await page.getByRole('button', { name: 'Next' }).click();
    await box('bulk-35').check();
    await bar().getByText('5 selected').waitFor();
    await page.goto(browser.at('/dashboard/links?tags=spring'));
    await settled(page);
    expect(await bar().count()).toBe(0);

    await page.getByRole('checkbox', { name: 'Select all on this page' }).check();
    await bar().getByRole('button', { name: 'Select all 40 that match' }).click();
    await bar().getByText('40 selected').waitFor();
    await bar().getByRole('button', { name: 'Tags' }).click();
    const dialog = page.getByRole('dialog', { name: 'Tags' });
    const add = dialog.getByRole('combobox', { name: 'Add tags' });
    await add.fill('late');
    await add.press('Enter');
    await dialog.getByRole('button', { name: 'Apply' }).click();
    await page.getByText('40 links updated').waitFor();
    const late = page.locator('table.links').getByText('late').first();
    await late.waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await late.waitFor({ state: 'detached' });
    await bar().getByText('40 selected').waitFor();
    expect((await call('get', '/api/v1/urls?filter={"tags":["late"]}')).body.total).toBe(0);
    await bar().getByRole('button', { name: 'Tags' }).click();
    await add.fill('late');
    await add.press('Enter');
    await dialog.getByRole('button', { name: 'Apply' }).click();
    await page.getByRole('button', { name: 'Close and apply now' }).click();
    await eventually(async () => {
      return (await call('get', '/api/v1/urls?filter={"tags":["late"]}')).body.total === 40;
    });

    await page.getByRole('checkbox', { name: 'Select all on this page' }).check();
    await bar().getByRole('button', { name: 'Expiry' }).click();
    await page.getByLabel('Expires').fill('2090-01-01T00:00');
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByText('25 links updated').waitFor();
    const expiring = async () => {
      const all = (await call('get', '/api/v1/urls?pageSize=100')).body.items;
      return (all as { expire_after: number | null }[]).filter((link) => link.expire_after);
    };
    await page.getByRole('button', { name: 'Undo' }).click();
    await bar().getByText('25 selected').waitFor();
    expect(await expiring()).toHaveLength(0);
    await bar().getByRole('button', { name: 'Expiry' }).click();
    await page.getByLabel('Expires').fill('2090-01-01T00:00');
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByRole('button', { name: 'Close and apply now' }).click();
    await eventually(async () => (await expiring()).length === 25);

    await page.getByRole('checkbox', { name: 'Select all on this page' }).check();
    await bar().getByRole('button', { name: 'Select all 40 that match' }).click();
    await bar().getByText('40 selected').waitFor();
    await bar().getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByText('40 links deleted').waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await bar().getByText('40 selected').waitFor();
    await bar().getByRole('button', { name: 'Delete', exact: true }).click();
    // Leaving the page confirms the change.
    await page.goto('about:blank');
    await eventually(async () => (await call('get', '/api/v1/urls')).body.total === 20);
  });

  it('links with errors stay selected, with the reason, and can be saved as a spreadsheet file', async () => {
    const [first] = await make([
      { long_url: 'https://example.com/1', alias: 'gone-soon', title: '=1+1' },
      { long_url: 'https://example.com/2', alias: 'stays-here', title: '=1+1' },
    ]);
    await browser.go('/links');
    await page.getByRole('checkbox', { name: 'Select all on this page' }).check();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      bar().getByRole('button', { name: 'Export' }).click(),
    ]);
    const chunks: Buffer[] = [];
    for await (const chunk of await download.createReadStream()) chunks.push(chunk as Buffer);
    expect(Buffer.concat(chunks).toString()).toContain(`"stays-here"`);
    expect(Buffer.concat(chunks).toString()).toContain(`"'=1+1"`);
    await call('delete', `/api/v1/urls/${first ?? ''}`);
    await bar().getByRole('button', { name: 'Resume' }).click();
    await bar().getByRole('alert').getByText('gone-soon').waitFor();
    await bar().getByText('no longer exists').waitFor();
    await bar().getByText('1 selected').waitFor();
    await bar().getByRole('button', { name: 'Clear selection' }).click();
    await bar().waitFor({ state: 'detached' });
  });

  it('a comparison of spring with autumn by week takes fewer than ten actions', async () => {
    const ids = await make(
      ['spring', 'spring', 'autumn', 'other'].map((tag, i) => ({
        long_url: `https://example.com/${i}`,
        alias: `camp-${i}`,
        tags: [tag],
      })),
    );
    const now = Date.now();
    const clicks = (link: number, weeks: readonly number[], each: number) =>
      world.record(
        ids[link]!,
        weeks.flatMap((ago) =>
          Array.from({ length: each }, (_, i) =>
            aClick({
              at: Math.floor(now - ago * WEEK - i * 1000),
              visitor: `1${link}${ago}${i >> 1}`.padStart(24, '0'),
            }),
          ).reverse(),
        ),
      );
    await clicks(0, [32, 31, 30], 10);
    await clicks(1, [31, 30, 29], 20);
    await clicks(2, [6, 5], 30);
    await clicks(3, [6], 100);
    await browser.go('');
    let actions = 0;
    const act = async (action: Promise<unknown>): Promise<void> => {
      actions += 1;
      await action;
    };
    const choose = async (label: string, value: string): Promise<void> => {
      await act(page.getByRole('combobox', { name: label }).click());
      await act(page.getByRole('option', { name: value }).click());
    };
    await act(page.getByRole('link', { name: 'Analytics' }).click());
    await act(page.getByRole('link', { name: 'Compare two' }).click());
    await choose('First', 'spring');
    await choose('Second', 'autumn');
    await act(page.getByRole('button', { name: /Range/ }).click());
    await act(page.getByRole('button', { name: 'Last 12 months' }).click());
    await act(page.getByLabel('Interval').selectOption('week'));
    expect(actions).toBeLessThan(10);
    await page.getByRole('heading', { name: 'Clicks per week' }).waitFor();
    const sums = page.getByRole('table', { name: 'Totals in this range' });
    await sums.getByRole('row', { name: /spring 90 45/ }).waitFor();
    await sums.getByRole('row', { name: /autumn 60 30/ }).waitFor();
    const weeks = page.getByRole('region', { name: 'Clicks per week' });
    const rows = await weeks.getByRole('row').allInnerTexts();
    const figures = rows
      .map((text) => text.split('\t').slice(1).map(Number))
      .filter((row) => row.some((figure) => figure > 0));
    expect(figures).toEqual([
      [0, 0, 30, 15],
      [0, 0, 30, 15],
      [20, 10, 0, 0],
      [30, 15, 0, 0],
      [30, 15, 0, 0],
      [10, 5, 0, 0],
    ]);
    // When aligned, both series start in the same column.
    await page.getByRole('button', { name: 'Align first clicks' }).click();
    await page.getByText(/started 2[56] weeks later/).waitFor();
    const together = (await weeks.getByRole('row').allInnerTexts())
      .slice(2)
      .map((text) => text.split('\t').slice(1).map(Number));
    expect(together).toEqual([
      [20, 10, 0, 0],
      [30, 15, 0, 0],
      [30, 15, 30, 15],
      [10, 5, 30, 15],
    ]);
  });

  it('the list of tags filters statistics, and explains why its sum may exceed the total', async () => {
    const [id] = await make([
      { long_url: 'https://example.com/1', tags: [SCRIPT, 'plain'] },
      { long_url: 'https://example.com/2' },
    ]);
    await world.record(id!, [aClick({ at: Date.now() - 60_000 })]);
    await browser.go('/analytics');
    await page.getByRole('button', { name: 'Tag', exact: true }).click();
    const table = page.getByRole('table', { name: 'Clicks by Tag' });
    await table.getByRole('button', { name: SCRIPT }).click();
    await page.waitForURL(/f\.tag=/);
    await page.locator('.chip', { hasText: SCRIPT }).waitFor();
    const { body } = await call('get', '/api/v1/stats?scope=all&group_by=tag');
    await page.getByText(body.notes[0] as string).waitFor();
    expect(await page.locator('main script').count()).toBe(0);
    await browser.go('/tags');
    await page.getByRole('link', { name: 'Statistics for plain, 1 click' }).waitFor();
  });

  it('campaign values are added to the displayed destination, with earlier values as suggestions', async () => {
    await call('post', '/api/v1/utm-templates', {
      name: 'Mail',
      source: 'news',
      medium: 'email',
    });
    await call('post', '/api/v1/utm-templates', {
      name: 'Mail',
      source: 'news',
      medium: 'email',
    });
    await browser.go('/links?new=1');
    const drawer = page.getByRole('dialog', { name: 'New link' });
    await drawer.getByLabel('Destination').fill('example.com/sale?a=1&utm_source=old#top');
    await drawer.getByLabel('Alias').fill('campaign-1');
    // Typing a destination with UTM parameters does not open the group.
    await drawer.getByRole('button', { name: 'Organise' }).click();
    await drawer.getByRole('button', { name: 'Campaign' }).click();
    const form = page.getByRole('dialog', { name: 'Campaign' });
    expect(await form.getByRole('combobox', { name: 'Source' }).inputValue()).toBe('old');
    await form.getByRole('combobox', { name: 'Template' }).selectOption('Mail');
    await form.getByRole('combobox', { name: 'Campaign name' }).fill('Spring sale');
    const result =
      'https://example.com/sale?a=1&utm_source=news&utm_medium=email&utm_campaign=Spring%20sale#top';
    await form.getByText(result).waitFor();
    await form.getByRole('button', { name: 'Apply' }).click();
    await form.waitFor({ state: 'detached' });
    await drawer.getByRole('button', { name: 'Shorten' }).click();
    await page.getByText('Your short link').waitFor();
    const { body } = await call('get', '/api/v1/urls');
    expect(body.items[0].long_url).toBe(result);
  });

  it('clicks of a link and of selected links are deleted, and the figures show it immediately', async () => {
    const [one, two] = await make([
      { long_url: 'https://example.com/1', alias: 'counted-one' },
      { long_url: 'https://example.com/2', alias: 'counted-two' },
    ]);
    const at = Date.now() - 60_000;
    await world.record(one!, [aClick({ at }), aClick({ at: at + 1 })]);
    await world.record(two!, [aClick({ at })]);
    await browser.go(`/links/${one!}`);
    const clicks = page.locator('.totals dd').first();
    await eventually('the clicks are shown', async () => (await clicks.innerText()) === '2');
    await page.getByRole('link', { name: 'Edit' }).click();
    await page.getByRole('button', { name: 'Delete all clicks' }).click();
    const all = page.getByRole('dialog', { name: 'Delete all clicks' });
    await all.getByText('Deletes 2 clicks').waitFor();
    const confirm = all.getByRole('button', { name: 'Delete clicks' });
    await all.getByLabel('Type the alias to confirm').fill('Counted-one');
    expect(await confirm.isDisabled()).toBe(true);
    await all.getByLabel('Type the alias to confirm').fill('counted-one');
    await browser.expectSound();
    await confirm.click();
    await all.waitFor({ state: 'detached' });
    await page.getByText(/^Counted since /).waitFor();
    await page.getByRole('link', { name: 'Statistics', exact: true }).click();
    await page.getByText('No clicks yet').waitFor();

    await page.getByRole('link', { name: 'Links' }).first().click();
    await settled(page);
    await eventually('the other click is listed', async () =>
      (await status().innerText()).includes('1 click'),
    );
    await page.getByRole('checkbox', { name: 'Select all on this page' }).check();
    await bar().getByRole('button', { name: 'Delete clicks' }).click();
    const some = page.getByRole('dialog', { name: 'Delete clicks' });
    expect(await some.getByRole('button', { name: 'Delete clicks' }).isDisabled()).toBe(true);
    await some.getByLabel('Type 2 to confirm').fill('2');
    await page.setViewportSize({ width: 360, height: 900 });
    await browser.expectSound();
    await some.getByRole('button', { name: 'Delete clicks' }).click();
    await page.getByText('Clicks of 2 links deleted').waitFor();
    await eventually('no clicks are listed', async () =>
      (await status().innerText()).includes('0 clicks'),
    );
  });
});
