import type { Locator, Page } from 'playwright-core';
import { ApiClient } from '../../support/api-client';
import { AppBrowser } from '../../support/app/app-browser';
import { describeInBrowser } from '../../support/browser';
import { type Service, startService } from '../../support/service';

describeInBrowser('the command palette', () => {
  let service: Service;
  let browser: AppBrowser;
  let page: Page;
  let owner: ApiClient;
  beforeAll(async () => {
    service = await startService();
    browser = await AppBrowser.open(service);
    page = browser.page;
    owner = await ApiClient.on(service);
    await browser.signIn(owner.account);
  });
  afterAll(async () => {
    await browser.close();
    await service.stop();
  });
  afterEach(() => expect(browser.complaints()).toEqual([]));

  const palette = (): Locator => page.getByRole('dialog', { name: 'Find or create' });
  const field = (): Locator => palette().getByRole('combobox');
  const arriveAt = async (path: string): Promise<void> => {
    await page.waitForURL(`**/dashboard${path}`);
    await palette().waitFor({ state: 'detached' });
  };

  it.each([1280, 360])(
    'finds links by title and short URL, opens screens and creates links, at a width of %i',
    async (width) => {
      await page.setViewportSize({ width, height: 800 });
      const title = `Autumn <b>leaflet ${width}`;
      const { id, short_url: url } = await owner.aLink({ title });
      await browser.go('/');
      await page.keyboard.press('Control+k');
      await field().fill(`leaflet ${width}`);
      await palette().getByRole('option', { name: title }).waitFor();
      await browser.expectSound();
      await field().press('Enter');
      await arriveAt(`/links/${id}`);

      await page.getByRole('button', { name: 'Find or create' }).click();
      await field().fill('settin');
      await palette().getByText('No links found').waitFor();
      await field().press('ArrowDown');
      await field().press('Enter');
      await arriveAt('/settings');

      await page.keyboard.press('Control+k');
      await field().fill(url);
      await palette().getByText('1 link found').waitFor();
      await field().press('Enter');
      await arriveAt(`/links/${id}`);

      await page.keyboard.press('Control+k');
      await field().fill('https://example.com/new');
      await palette().getByText('Shorten this address').click();
      const drawer = page.getByRole('dialog', { name: 'New link' });
      const destination = drawer.getByLabel('Destination').first();
      await destination.waitFor();
      expect(await destination.inputValue()).toBe('https://example.com/new');
    },
  );
});
