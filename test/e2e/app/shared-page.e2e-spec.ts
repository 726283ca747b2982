import { AppBrowser } from '../../support/app/app-browser';
import { describeInBrowser } from '../../support/browser';
import { aVerifiedAccount, STRONG_PASSWORD } from '../../support/factories/accounts';
import { type Service, startService } from '../../support/service';

describeInBrowser('a page shared with the app', () => {
  let service: Service;
  let browser: AppBrowser;
  beforeAll(async () => (service = await startService()));
  afterAll(() => service.stop());
  beforeEach(async () => (browser = await AppBrowser.open(service)));
  afterEach(() => browser.close());

  const fields = async () => ({
    destination: await browser.page.getByLabel('Destination').inputValue(),
    title: await browser.page.locator('input[name="title"]').inputValue(),
  });
  const query = (parameters: Record<string, string>) =>
    `?${new URLSearchParams(parameters).toString()}`;

  it('fills in the form for the bookmarklet and for a share dialog, and creates no link yet', async () => {
    await browser.signIn(await aVerifiedAccount(service));
    const { page } = browser;
    for (const [asked, long_url, title] of [
      [
        { new: '1', url: 'https://x.test/?a=1&b=2#c', title: 'A & "B"' },
        'https://x.test/?a=1&b=2#c',
        'A & "B"',
      ],
      [{ title: 'Shared', text: 'Look: https://x.test/y here' }, 'https://x.test/y', 'Shared'],
      [{ new: '1', url: 'javascript:alert(1)', title: '' }, 'javascript:alert(1)', ''],
    ] as const) {
      await browser.go(`/links${query(asked)}`);
      await page.getByRole('dialog').waitFor();
      await page.waitForURL(browser.at('/dashboard/links?new=1'));
      expect(await fields()).toEqual({ destination: long_url, title });
    }
    await page.getByRole('dialog').getByRole('button', { name: 'Shorten', exact: true }).click();
    await page.locator('input[name="long_url"][aria-invalid="true"]').waitFor();
    await page.getByLabel('Destination').fill('https://x.test/z');
    const made = page.waitForResponse((answer) => answer.url().endsWith('/api/v1/shorten'));
    await page.getByRole('dialog').getByRole('button', { name: 'Shorten', exact: true }).click();
    expect((await made).status()).toBe(201);
    expect(browser.complaints()).toEqual([]);
  });

  it('keeps its input through the sign-in, with the bookmarklet in the settings', async () => {
    const account = await aVerifiedAccount(service);
    const { page } = browser;
    await browser.signIn(account);
    await browser.go('/settings');
    const bookmarklet = page.getByRole('link', { name: 'Shorten this page' });
    const script = decodeURIComponent((await bookmarklet.getAttribute('href')) ?? '');
    expect(script).toMatch(/^javascript:/);

    await page.context().clearCookies();
    await page.goto(browser.at('/stats?x=1&y=ü'));
    const title = await page.title();
    const opened = page.waitForEvent('popup');
    await page.evaluate(script.replace('javascript:', ''));
    const popup = await opened;
    await popup.locator('input[name="email"]').fill(account.email);
    await popup.locator('input[name="password"]').fill(STRONG_PASSWORD);
    await popup.getByRole('button', { name: 'Sign in', exact: true }).click();
    await popup.getByRole('dialog').waitFor();
    await popup.waitForURL(browser.at('/dashboard/links?new=1'));
    expect(await popup.getByLabel('Destination').inputValue()).toBe(
      browser.at('/stats?x=1&y=%C3%BC'),
    );
    expect(await popup.locator('input[name="title"]').inputValue()).toBe(title);
  });
});
