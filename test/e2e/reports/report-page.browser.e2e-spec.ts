import { accessibilityOf, overflowOf } from '../../support/accessibility';
import { Browser, describeInBrowser } from '../../support/browser';
import { databaseOf } from '../../support/database';
import { aLink } from '../../support/factories/links';
import { reportsOf } from '../../support/factories/reports';
import { type Service, startService } from '../../support/service';

describeInBrowser('the page that reports a link, in a browser', () => {
  let service: Service;
  beforeAll(async () => (service = await startService()));
  afterAll(() => service.stop());

  const at = (path: string): string => `http://localhost:${service.port}${path}`;

  async function expectAccessible({ page }: Browser): Promise<void> {
    const { broken, kept } = await accessibilityOf(page);
    expect([page.url(), broken]).toEqual([page.url(), []]);
    expect(kept).toBeGreaterThan(15);
    expect(await overflowOf(page)).toBe(0);
  }

  it.each([
    { width: 1100, dark: false, javaScript: false },
    { width: 320, dark: true, javaScript: true },
  ])('leads from a preview to an accepted report (%j)', async (look) => {
    const { id, alias } = await aLink(service);
    const browser = await Browser.open(look);
    const { page } = browser;
    try {
      await page.goto(at(`/${alias}+`));
      await page.getByRole('link', { name: 'Report this link' }).click();
      await page.waitForURL(/\/report\?/);
      expect(await page.getByLabel('Short link').inputValue()).toBe(at(`/${alias}`));
      if (look.javaScript) await expectAccessible(browser);

      await page.getByLabel('Short link').fill('nobody-has-this');
      await page.getByLabel('What is wrong with it?').selectOption('phishing');
      await page.getByLabel('What does the link do').fill('Asks for a PIN\n<b>twice</b>');
      await page.getByRole('button', { name: 'Report' }).click();
      const alert = page.getByRole('alert');
      await alert.waitFor();
      expect(await alert.innerText()).toBe('There is no link with this address.');
      expect(await page.getByLabel('What does the link do').inputValue()).toBe(
        'Asks for a PIN\n<b>twice</b>',
      );
      if (look.javaScript) {
        await expectAccessible(browser);
        expect(await page.evaluate('document.activeElement.id')).toBe('url');
      }

      await page.getByLabel('Short link').fill(alias);
      await page.getByLabel('Your email address').fill('ada@example.com');
      await page.getByRole('button', { name: 'Report' }).click();
      await page.getByRole('heading', { name: 'Thank you' }).waitFor();
      if (look.javaScript) await expectAccessible(browser);
      expect(browser.complaints.filter((text) => !text.includes('the server resp'))).toEqual([]);
      expect([...browser.origins]).toEqual([at('')]);
    } finally {
      await browser.close();
    }
    const database = await databaseOf(service);
    expect(await reportsOf(database, id)).toMatchObject([
      {
        count: 1,
        reasons: { phishing: 1 },
        entries: [{ details: 'Asks for a PIN\n<b>twice</b>', email: 'ada@example.com' }],
      },
    ]);
    await database.close();
  });
});
