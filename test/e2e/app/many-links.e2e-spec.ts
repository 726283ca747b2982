import { setTimeout as sleep } from 'node:timers/promises';
import { type Connection, Types } from 'mongoose';
import { AppBrowser } from '../../support/app/app-browser';
import { describeInBrowser } from '../../support/browser';
import { aVerifiedAccount } from '../../support/factories/accounts';
import { manyStoredLinks } from '../../support/shared/stored-link';
import { type Service, startService } from '../../support/service';
import { openTestDatabase } from '../../support/test-database';

const LINKS = 100_000;
const AT_ONCE = 5000;
const PAGES = 50;
const MOST_HEAP_BYTES = 50_000_000;
const SLOW_PAGE = /\/api\/v1\/urls\?(.*&)?page=3&/;
const SLOW_MS = 4000;

describeInBrowser('the list of 100,000 links', () => {
  let service: Service;
  let database: Connection;
  let browser: AppBrowser;
  beforeAll(async () => {
    service = await startService();
    database = await openTestDatabase(service.mongoUri);
    browser = await AppBrowser.open(service);
  });
  afterAll(async () => {
    await browser.close();
    await database.close();
    await service.stop();
  });

  it('has pages for the keyboard, and does not accumulate earlier pages', async () => {
    const account = await aVerifiedAccount(service);
    const owner = new Types.ObjectId(account.userId);
    for (let made = 0; made < LINKS; made += AT_ONCE) {
      await manyStoredLinks(database, AT_ONCE, { owner });
    }
    await browser.signIn(account);
    await browser.go('/links');
    const { page } = browser;
    await page.getByText('100,000 links').waitFor();
    await page.route(SLOW_PAGE, async (route) => {
      await sleep(SLOW_MS);
      await route.continue();
    });
    await page.keyboard.press('/');
    await page.keyboard.press('ArrowDown');
    const seen = new Set<string | null>();
    for (let number = 1; number <= PAGES; number++) {
      await page.getByText(`Page ${number} of 4,000`).waitFor();
      await page.locator('.table-card[aria-busy="false"] [data-row]:focus').waitFor();
      const rows = await page
        .locator('[data-row]')
        .evaluateAll((all: { getAttribute(name: string): string | null }[]) =>
          all.map((row) => row.getAttribute('href')),
        );
      expect(rows).toHaveLength(25);
      for (const href of rows) seen.add(href);
      await page.keyboard.press('ArrowRight');
    }
    expect(seen.size).toBe(PAGES * 25);
    const session = await page.context().newCDPSession(page);
    await session.send('HeapProfiler.collectGarbage');
    const { usedSize } = await session.send('Runtime.getHeapUsage');
    expect(usedSize).toBeLessThan(MOST_HEAP_BYTES);
    expect(browser.complaints()).toEqual([]);
  });
});
