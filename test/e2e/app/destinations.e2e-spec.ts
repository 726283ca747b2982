import type { Locator, Page } from 'playwright-core';
import { eventually } from '../../support/shared/eventually';
import { ApiClient } from '../../support/api-client';
import { AppBrowser } from '../../support/app/app-browser';
import { describeInBrowser } from '../../support/browser';
import { aBlocklist } from '../../support/factories/blocklist';
import { visit } from '../../support/http';
import { limitsFile } from '../../support/limits';
import { type Service, startService } from '../../support/service';

const IPHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.1 Mobile/15E148 Safari/604.1';

describeInBrowser('rules, countries and variants, in the app', () => {
  let service: Service;
  let browser: AppBrowser;
  let page: Page;
  let owner: ApiClient;
  beforeAll(async () => {
    const env = {
      BLOCKED_URLS_FILE: aBlocklist('evil'),
      LIMITS_FILE: limitsFile({ 'links.resolve': 'off' }),
    };
    service = await startService({ env });
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

  const counted = (id: string, clicks: number): Promise<void> =>
    eventually('the clicks are counted', async () => {
      const { body } = await owner.call('get', `/api/v1/stats/links/${id}`);
      return body.summary?.total_clicks === clicks;
    });
  const partOf = (form: Locator, name: string): Locator =>
    form.getByRole('group', { name, exact: true });
  const press = (where: Locator, name: string, at = 0): Promise<void> =>
    where.getByRole('button', { name, exact: true }).nth(at).click();
  const isFine = (): Promise<void> => browser.expectSound();

  it.each([1280, 360])(
    'are created, sorted, tested, rejected next to their fields and counted, at a width of %i',
    async (width) => {
      const alias = `ways-${width}`;
      await page.setViewportSize({ width, height: 900 });
      await browser.go('/links?new=1');
      const drawer = page.getByRole('dialog', { name: 'New link' });
      await drawer.getByLabel('Destination').fill('example.com/home');
      await drawer.getByLabel('Alias').fill(alias);
      await press(drawer, 'Rules and variants');
      const rules = partOf(drawer, 'Rules');
      await press(rules, 'Add a rule');
      await rules.getByLabel('Condition', { exact: true }).locator('visible=true').waitFor();
      await rules.locator('select:focus').waitFor();
      await rules.getByLabel('Mobile').check();
      await rules.getByLabel('Destination').fill('example.com/phone');
      await press(rules, 'Add a rule');
      await rules.getByLabel('Condition', { exact: true }).nth(1).selectOption('Language');
      await rules.getByRole('combobox', { name: 'Languages' }).fill('de');
      await page.keyboard.press('Enter');
      await rules.getByText('German (de)', { exact: true }).waitFor();
      await rules.getByLabel('Destination').nth(1).fill('example.com/de');
      await press(rules, 'Add a condition', 1);
      await rules.getByLabel('Condition', { exact: true }).nth(2).selectOption('Query parameter');
      await rules.getByLabel('Parameter').fill('source');
      await rules.getByLabel('All except this', { exact: true }).check();
      await press(rules, 'Move up', 1);
      await rules.locator('[data-do="down"]:focus').waitFor();
      expect(await rules.getByLabel('Destination').first().inputValue()).toBe('example.com/de');
      await press(rules, 'Move down');
      await press(rules, 'Move up', 1);
      const countries = partOf(drawer, 'Countries');
      await press(countries, 'Add a country');
      await countries.getByLabel('Country').selectOption('Germany');
      await countries.getByLabel('Destination').fill('example.com/germany');
      const variants = partOf(drawer, 'Variants');
      await press(variants, 'Add a variant');
      await variants.getByLabel('Destination').fill('example.com/b');
      await variants.getByLabel('Weight').fill('140');
      await variants.getByText('The weights add up to more than 100.').waitFor();
      await variants.getByLabel('Weight').fill('40');
      await variants.getByText('60% are sent to the main destination.').waitFor();
      await press(variants, 'Add a variant');
      await isFine();
      // An invalid field receives focus, even in a collapsed group.
      await press(drawer, 'Rules and variants');
      await press(drawer, 'Shorten');
      await page.locator('[name="ab_variants.1.url"]:focus').waitFor();
      await press(variants, 'Remove', 1);
      await variants.locator('[data-do="remove"]:focus').waitFor();
      await press(drawer, 'Shorten');
      await page.getByText('Your short link').waitFor();

      const { body } = await owner.list({ filter: '{"search":"ways"}' });
      const [link] = body.items as [{ id: string }];
      expect(link).toMatchObject({
        rules: [
          {
            key: 'r1',
            when: [
              { field: 'language', values: ['de'] },
              { field: 'query', name: 'source', not: true },
            ],
            to: 'https://example.com/de',
          },
          {
            key: 'r2',
            when: [{ field: 'device', values: ['mobile'] }],
            to: 'https://example.com/phone',
          },
        ],
        geo_rules: { DE: 'https://example.com/germany' },
        ab_variants: [{ key: '1', url: 'https://example.com/b', weight: 40 }],
      });
      await browser.go(`/links/${link.id}?view=settings`);
      await page.getByRole('link', { name: 'Rules and variants' }).click();
      const facts = page.locator('.facts');
      for (const fact of ['2 rules', '1 country', '1 variant']) {
        await facts.getByText(fact, { exact: true }).waitFor();
      }
      const form = page.locator('form.card').first();
      const tried = page.getByRole('form', { name: 'Try it' });
      await tried.getByLabel('Device').selectOption('iPhone');
      await press(tried, 'Try it');
      await tried.getByText('https://example.com/phone').waitFor();
      await tried.getByText('Rule 2 (r2) applies: Device is mobile.').waitFor();
      await tried.getByLabel('Device').selectOption('Mac');
      await tried.getByLabel('Country').selectOption('Germany');
      await tried.getByLabel('Query string').press('Enter');
      await tried.getByText('No rule applies, so the country decides: Germany.').waitFor();
      // Unsaved changes are tested, and only facts that decide are requested.
      expect(await tried.getByLabel('Time').count()).toBe(0);
      await partOf(form, 'Countries').getByLabel('Destination').fill('example.com/unsaved');
      await press(form, 'Add a rule');
      await press(tried, 'Try it');
      await page.locator('[name="rules.2.when.0.values"]:focus').waitFor();
      await press(partOf(form, 'Rules'), 'Remove', 2);
      await press(tried, 'Try it');
      await tried.getByText('https://example.com/unsaved').waitFor();
      expect((await owner.show(link.id)).body.geo_rules).toEqual({
        DE: 'https://example.com/germany',
      });
      await isFine();
      // Only the service knows the blocklists.
      const second = partOf(form, 'Rules').getByLabel('Destination').nth(1);
      await second.fill('https://evil.example/');
      await press(tried, 'Try it');
      await page.locator('[name="rules.1.to"][aria-invalid="true"]:focus').waitFor();
      await press(form, 'Save');
      await page.locator('[name="rules.1.to"][aria-invalid="true"]:focus').waitFor();
      expect(await form.getByText(/^Visitors cannot be sent to this address/).count()).toBe(1);
      await second.fill('myapp://open');
      await press(form, 'Save');
      await form.getByText(/^Links lead to web pages/).waitFor();
      const rule = partOf(form, 'Rules').getByLabel('Condition', { exact: true }).nth(2);
      await rule.selectOption('OS');
      await form.getByRole('combobox', { name: 'Operating systems' }).fill('Android, iOS');
      await form.getByRole('combobox', { name: 'Operating systems' }).press('Enter');
      await press(form, 'Save');
      await page.getByText('Saved', { exact: true }).waitFor();
      expect((await owner.show(link.id)).body.rules[1].when).toEqual([
        { field: 'os', values: ['Android', 'iOS'] },
      ]);

      const asPhone = await visit(service, alias, { 'User-Agent': IPHONE });
      expect(asPhone.headers.location).toBe('myapp://open');
      await visit(service, `${alias}?source=a`, { 'User-Agent': IPHONE, 'Accept-Language': 'de' });
      await visit(service, alias, { 'User-Agent': IPHONE, 'Accept-Language': 'de' });
      await counted(link.id, 3);
      await browser.go(`/links/${link.id}`);
      const card = page.getByRole('region', { name: 'Rules and countries' });
      const row = card.getByRole('row', { name: /Rule 2/ });
      await row.getByText('myapp://open').waitFor();
      await card
        .getByRole('row', { name: /Rule 1/ })
        .getByText('example.com/de')
        .waitFor();
      await isFine();
      await row.getByRole('button').click();
      await page.getByRole('list', { name: 'Filters' }).getByText('Destination: Rule 2').waitFor();
      expect(new URL(page.url()).searchParams.getAll('f.variant')).toEqual(['r2']);
      await page.locator('.totals').getByText('2', { exact: true }).first().waitFor();
    },
  );

  it('keep unchanged values, exact to the second', async () => {
    const time = { field: 'time', from: 1_893_456_007, to: 1_893_542_400 };
    const { id } = await owner.aLink({
      rules: [{ when: [time], to: 'https://example.com/a', key: 'new-year' }],
      geo_rules: { FR: 'https://example.com/fr' },
    });
    await browser.go(`/links/${id}?view=rules`);
    const form = page.locator('form.card').first();
    await partOf(form, 'Rules').getByLabel('Destination').fill('example.com/b');
    await press(form, 'Save');
    await page.getByText('Saved', { exact: true }).waitFor();
    expect((await owner.show(id)).body).toMatchObject({
      rules: [{ key: 'new-year', when: [time], to: 'https://example.com/b' }],
      geo_rules: { FR: 'https://example.com/fr' },
    });
    await press(partOf(form, 'Countries'), 'Remove');
    await press(form, 'Save');
    await page
      .locator('.facts')
      .getByText('1 country', { exact: true })
      .waitFor({ state: 'detached' });
    expect((await owner.show(id)).body.geo_rules).toBeNull();
  });

  it('do not appear in the statistics of a link with one destination', async () => {
    const { id, alias } = await owner.aLink();
    await visit(service, alias, { 'User-Agent': IPHONE });
    await counted(id, 1);
    await browser.go(`/links/${id}`);
    await page.getByRole('region', { name: 'Visits' }).waitFor();
    for (const name of ['A/B split', 'Rules and countries']) {
      expect(await page.getByRole('region', { name }).count()).toBe(0);
    }
  });
});
