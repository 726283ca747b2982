import request from 'supertest';
import { AppBrowser } from '../../support/app/app-browser';
import { describeInBrowser } from '../../support/browser';
import { eventually } from '../../support/shared/eventually';
import { anEmail, STRONG_PASSWORD } from '../../support/factories/accounts';
import { aPerson, type Realm, startRealm } from '../../support/oauth/realm';
import { newestCode } from '../../support/outbox';

describeInBrowser('from the account pages into the app', () => {
  let realm: Realm;
  let browser: AppBrowser;
  beforeAll(async () => (realm = await startRealm()));
  afterAll(() => realm.stop());
  beforeEach(async () => (browser = await AppBrowser.open(realm.service)));
  afterEach(() => browser.close());

  it('a new user signs up, creates a link, sees its click, creates a key and signs out', async () => {
    const { page } = browser;
    const email = anEmail();
    await page.goto(browser.at('/register'));
    await page.locator('input[name="email"]').fill(email);
    await page.locator('input[name="password"]').fill(STRONG_PASSWORD);
    await page.getByRole('button', { name: 'Sign up' }).click();
    await page.locator('input[name="code"]').fill(await newestCode(realm.service, email));
    await page.getByRole('button', { name: 'Verify' }).click();
    await page.getByText('First steps').waitFor();
    await page.getByLabel('Shorten a link').fill('example.com/first');
    await page.keyboard.press('Enter');
    await page.locator('.result').getByRole('button', { name: /^Copy/ }).click();
    const url = await page.evaluate<string>('navigator.clipboard.readText()');
    const followed = await request(realm.service.url)
      .get(new URL(url).pathname)
      .redirects(0)
      .set('User-Agent', 'Mozilla/5.0 (X11; Linux x86_64; rv:127.0) Gecko/20100101 Firefox/127.0');
    expect(followed.headers['location']).toBe('https://example.com/first');
    await page.locator('.result').getByRole('link').click();
    await eventually('the click is shown', async () => {
      await page.reload();
      const figures = page.locator('.statistics[aria-busy="false"]');
      await figures.or(page.getByText('No clicks yet')).waitFor();
      return (await page.getByRole('button', { name: 'Firefox' }).count()) === 1;
    });
    await page
      .getByRole('navigation', { name: 'Main' })
      .getByRole('link', { name: 'API keys' })
      .click();
    await page.getByRole('main').getByRole('button', { name: 'New key' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('First');
    await page.getByRole('button', { name: 'Create key' }).click();
    expect(await page.locator('.secret').innerText()).toMatch(/^svc_/);
    await page.getByRole('button', { name: 'I have saved the key' }).click();
    await page.getByRole('button', { name: 'Account' }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.waitForURL(browser.at('/'));
    await page.goto(browser.at('/dashboard/keys'));
    expect(page.url()).toBe(browser.at('/login?next=%2Fdashboard%2Fkeys'));
    await page.locator('input[name="email"]').fill(email);
    await page.locator('input[name="password"]').fill(STRONG_PASSWORD);
    await page.getByRole('main').getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'First' }).waitFor();
    expect(browser.complaints()).toEqual([]);
  });

  it('a sign-in with a provider ends in the app, which lists the provider as a sign-in method', async () => {
    const { page } = browser;
    const person = await aPerson(realm);
    await page.goto(browser.at('/dashboard/settings'));
    await page.getByRole('link', { name: /Works/ }).click();
    await page.locator('input[name="login"]').fill(person.sub);
    await page.locator('input[name="password"]').fill('any');
    await page.locator('button[type="submit"]').click();
    await page.locator('button[type="submit"]', { hasText: 'Continue' }).click();
    await page.waitForURL(browser.at('/dashboard/settings'));
    await page.getByText('Works <ID>').waitFor();
    await page.getByText('Your only method').waitFor();
    expect(await page.getByRole('heading', { name: 'Set a password' }).isVisible()).toBe(true);
  });
});
