import type { Locator, Page } from 'playwright-core';
import { ApiClient } from '../../support/api-client';
import { AppBrowser } from '../../support/app/app-browser';
import { overflowOf } from '../../support/accessibility';
import { describeInBrowser } from '../../support/browser';
import { visit } from '../../support/http';
import { type Service, startService } from '../../support/service';

const DAY_MS = 86_400_000;

const inDays = (days: number): string =>
  new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 16);

describeInBrowser('where a link leads, in the app', () => {
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

  const button = (form: Locator): Locator => form.getByRole('button', { name: 'Access' });
  const group = (form: Locator): Locator => form.getByRole('group', { name: 'Access' });
  const isOpen = (form: Locator): Promise<string | null> =>
    button(form).getAttribute('aria-expanded');

  it.each([1280, 360])(
    'is set in the drawer, shown, used as a filter and changed, at a width of %i',
    async (width) => {
      const alias = `spring-${width}`;
      await page.setViewportSize({ width, height: 900 });
      await browser.go('/links?new=1');
      const drawer = page.getByRole('dialog', { name: 'New link' });
      expect([await isOpen(drawer), await group(drawer).isVisible()]).toEqual(['false', false]);
      await drawer.getByLabel('Destination').fill('example.com/target');
      await drawer.getByLabel('Alias').fill(alias);
      await button(drawer).click();
      expect(await isOpen(drawer)).toBe('true');
      expect(await group(drawer).getByLabel('Before the start').count()).toBe(0);
      await group(drawer).getByLabel('Starts').fill(inDays(2));
      await group(drawer).getByLabel('Before the start').fill('soon.example/wait');
      const bots = drawer.getByLabel('Count previews and bots towards the limit');
      expect([await drawer.getByLabel('After expiry').count(), await bots.count()]).toEqual([0, 0]);
      await drawer.getByLabel('Click limit').fill('5');
      expect(await bots.isChecked()).toBe(true);
      await group(drawer).getByLabel('After expiry').fill('https://over.example/');
      const rules = drawer.getByRole('button', { name: 'Rules and variants' });
      await drawer.getByText('All visitors go to the destination.').waitFor();
      await rules.click();
      await drawer.getByLabel('Pass on the query string').check();
      await rules.click();
      await drawer.getByText('The query string is passed on.').waitFor();
      expect(await overflowOf(page)).toBe(0);
      await drawer.getByLabel('Expires').fill(inDays(1));
      await button(drawer).click();
      await drawer.getByRole('button', { name: 'Shorten' }).click();
      await drawer
        .getByText('The link would expire before it starts. Choose a later expiry.')
        .waitFor();
      expect(await isOpen(drawer)).toBe('true');
      const focused = page.locator('[name="starts_at"]:focus');
      await focused.waitFor();
      await drawer.getByLabel('Expires').fill(inDays(4));
      await drawer.getByRole('button', { name: 'Shorten' }).click();
      await page.getByText('Your short link').waitFor();
      expect((await visit(service, alias)).headers.location).toBe('https://soon.example/wait');
      await page.getByRole('button', { name: 'Statistics' }).click();
      await page.locator('.link-name').getByText('Scheduled', { exact: true }).waitFor();
      const facts = page.locator('.facts');
      await facts.getByText(/^Starts /).waitFor();
      await facts.getByText('Until then: soon.example').waitFor();
      await facts.getByText('After expiry: over.example').waitFor();
      await facts.getByText('Passes on the query string').waitFor();
      await browser.go('/links');
      await page.getByRole('button', { name: /Filters/ }).click();
      await page.getByLabel('Status').selectOption('Scheduled');
      await page
        .locator('tr', { hasText: alias })
        .getByText('Scheduled')
        .locator('visible=true')
        .waitFor();
      expect(new URL(page.url()).searchParams.get('status')).toBe('SCHEDULED');
      const { body } = await owner.list({ filter: '{"status":"SCHEDULED"}' });
      const [{ id }] = body.items as [{ id: string }];
      await browser.go(`/links/${id}?view=settings`);
      const form = page.locator('form.card');
      // Groups with values are open.
      expect(await isOpen(form)).toBe('true');
      expect(await group(form).getByLabel('After expiry').inputValue()).toBe(
        'https://over.example/',
      );
      await group(form).getByLabel('Starts').fill('');
      await group(form).getByLabel('Before the start').fill('');
      await group(form).getByLabel('After expiry').fill('https://a b');
      await form.getByRole('button', { name: 'Save' }).click();
      await page.locator('[name="expired_redirect_url"]:focus').waitFor();
      await group(form).getByLabel('After expiry').fill('other.example');
      await form.getByRole('button', { name: 'Save' }).click();
      await page.locator('.facts').getByText('After expiry: other.example').waitFor();
      expect((await owner.show(id)).body).toMatchObject({
        starts_at: null,
        pre_start_url: null,
        expired_redirect_url: 'https://other.example',
        forward_query: true,
        status: 'ACTIVE',
      });
    },
  );
});
