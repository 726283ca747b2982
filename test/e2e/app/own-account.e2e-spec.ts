import { AppBrowser } from '../../support/app/app-browser';
import { describeInBrowser } from '../../support/browser';
import { anEmail, aVerifiedAccount, STRONG_PASSWORD } from '../../support/factories/accounts';
import { newestCode } from '../../support/outbox';
import { type Service, startService } from '../../support/service';

describeInBrowser('the settings of an account', () => {
  let service: Service;
  let browser: AppBrowser;
  beforeAll(async () => {
    service = await startService();
    browser = await AppBrowser.open(service, { width: 360 });
  });
  afterAll(async () => {
    await browser.close();
    await service.stop();
  });

  it('deletes it in seven days, keeps it, and deletes it immediately with a code', async () => {
    const account = await aVerifiedAccount(service);
    await browser.signIn(account);
    const { page } = browser;
    await browser.go('/settings');
    const dialog = page.getByRole('dialog', { name: 'Delete account' });
    const submit = dialog.getByRole('button', { name: 'Delete account' });
    await page.getByRole('button', { name: 'Delete account' }).click();
    await dialog.getByLabel('Password', { exact: true }).fill(STRONG_PASSWORD);
    await browser.expectSound();
    expect(await submit.isDisabled()).toBe(true);
    await dialog.getByLabel('Type your email address to confirm').fill(account.email);
    await submit.click();
    const banner = page.getByRole('status').filter({ hasText: 'Your account will be deleted on' });
    await banner.waitFor();
    await browser.go('/links');
    await banner.waitFor();
    await browser.expectSound();
    for (const name of ['New link', 'Create many'])
      expect(await page.getByRole('button', { name }).first().isDisabled()).toBe(true);
    await banner.getByRole('button', { name: 'Keep my account' }).click();
    await banner.waitFor({ state: 'detached' });

    await browser.go('/settings');
    await page.getByRole('button', { name: 'Delete account' }).click();
    await dialog.getByLabel('Delete now, without 7 days to change my mind').check();
    await dialog.getByRole('button', { name: 'Send me a code' }).click();
    await dialog
      .getByLabel('Code', { exact: true })
      .fill(await newestCode(service, account.email, 2));
    await dialog.getByLabel('Type your email address to confirm').fill(account.email);
    await submit.click();
    await page.waitForURL(browser.at('/'));
    const cookies = await page.context().cookies();
    expect(cookies.filter(({ name }) => /_token$/.test(name))).toEqual([]);
    expect(browser.complaints()).toEqual([]);
  });

  it('offers a copy of the data, which can be downloaded and removed', async () => {
    await browser.signIn(await aVerifiedAccount(service));
    const { page } = browser;
    await browser.go('/settings');
    await page.getByRole('button', { name: 'Request a copy' }).click();
    const link = page.getByRole('link', { name: 'Download' });
    await link.waitFor();
    await browser.expectSound();
    const [download] = await Promise.all([page.waitForEvent('download'), link.click()]);
    expect(download.suggestedFilename()).toMatch(/^curtail-account-.*\.zip$/);
    await page.getByRole('button', { name: 'Remove', exact: true }).click();
    await link.waitFor({ state: 'detached' });
    expect(browser.complaints()).toEqual([]);
  });

  it('changes the email address with a code that was sent to the new address', async () => {
    const account = await aVerifiedAccount(service);
    await browser.signIn(account);
    const { page } = browser;
    await browser.go('/settings');
    await page.getByRole('button', { name: 'Change email address' }).click();
    const dialog = page.getByRole('dialog', { name: 'Change email address' });
    const email = anEmail();
    await dialog.getByLabel('New email address').fill(email);
    await dialog.getByLabel('Password', { exact: true }).fill(STRONG_PASSWORD);
    await dialog.getByRole('button', { name: 'Send the code' }).click();
    await dialog.getByLabel('Code', { exact: true }).fill(await newestCode(service, email));
    await page.setViewportSize({ width: 1280, height: 900 });
    await browser.expectSound();
    await dialog.getByRole('button', { name: 'Confirm' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByText(`Signed in as ${email}`).waitFor();
    expect(browser.complaints()).toEqual([]);
  });
});
