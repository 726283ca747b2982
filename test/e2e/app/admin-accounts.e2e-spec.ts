import type { Page } from 'playwright-core';
import { coloursOf } from '../../support/accessibility';
import { ApiClient } from '../../support/api-client';
import { AppBrowser } from '../../support/app/app-browser';
import { describeInBrowser } from '../../support/browser';
import { anAdmin, type TestAccount, WITH_ADMIN } from '../../support/factories/accounts';
import { SCRIPT } from '../../support/hostile-texts';
import { bearer, cookiesOf, post, visit } from '../../support/http';
import { newestCode } from '../../support/outbox';
import { jobsPid } from '../../support/processes';
import { eventually, type Service, startService } from '../../support/service';

const DELETION_MS = 45_000;

describeInBrowser('accounts of the administration, in the app', () => {
  let service: Service;
  let browser: AppBrowser;
  let page: Page;
  let admin: TestAccount;
  beforeAll(async () => {
    service = await startService({ env: WITH_ADMIN });
    admin = await anAdmin(service);
    browser = await AppBrowser.open(service);
    page = browser.page;
  });
  afterAll(async () => {
    await browser.close();
    await service.stop();
  });
  beforeEach(() => browser.signIn(admin));
  afterEach(() => expect(browser.complaints()).toEqual([]));

  const expectSound = (): Promise<void> => browser.expectSound();

  async function carryOut(act: string, reason?: string): Promise<void> {
    await page.getByRole('button', { name: act, exact: true }).click();
    const dialog = page.getByRole('dialog');
    if (reason !== undefined) await dialog.getByRole('textbox', { name: 'Reason' }).fill(reason);
    await expectSound();
    await dialog.getByRole('button', { name: act, exact: true }).click();
  }

  it.each([1280, 360])(
    'finds, filters and sorts accounts, and keeps the filter in the address, at a width of %i',
    async (width) => {
      await page.setViewportSize({ width, height: 900 });
      const [many, few] = [await ApiClient.on(service), await ApiClient.on(service)];
      for (let i = 0; i < 3; i++) await many.aLink({});
      await few.aLink({});
      await browser.go('/admin');
      const figure = page.getByRole('link', { name: '1', exact: true });
      await expectSound();
      await figure.first().waitFor();
      await page
        .getByRole('navigation', { name: 'Administration' })
        .getByRole('link', { name: 'Accounts' })
        .click();
      const row = (email: string) => page.getByRole('row', { name: email });
      await row(few.account.email).waitFor();
      await expectSound();
      await page.getByLabel('Sort by').selectOption('Most links first');
      await page.waitForURL('**/accounts?sortBy=links');
      await page.reload();
      const first = page.locator('tbody tr').first();
      await first.getByText(many.account.email).waitFor();
      expect((await first.locator('td').allInnerTexts())[1]).toBe('3');
      await page.getByLabel('Sort by').selectOption('Fewest links first');
      await page.waitForURL('**/accounts?sortBy=links&sortOrder=ascending');
      await first.getByText(admin.email).waitFor();
      await page.getByLabel('Role').selectOption('Admin');
      await row(many.account.email).waitFor({ state: 'detached' });
      expect(await page.locator('tbody tr').count()).toBe(1);
      await first.getByRole('button').click();
      await expectSound();
      const items = await first.getByRole('menuitem').allInnerTexts();
      expect(items.map((item) => item.trim())).toEqual([
        'Remove admin role',
        'End sessions',
        'Reset password',
      ]);
      await browser.go('/admin/accounts?status=suspended');
      await page.getByText('No accounts found').waitFor();
      await page.getByLabel('Status').selectOption('Any');
      const text = few.account.email.slice(0, 12).toUpperCase();
      await page.getByRole('searchbox', { name: 'Search accounts' }).fill(text);
      await row(many.account.email).waitFor({ state: 'detached' });
      await row(few.account.email).getByRole('link').click();
      await page.getByRole('heading', { name: few.account.email }).waitFor();
      await expectSound();
      await page.getByRole('link', { name: 'Show links' }).click();
      await page.getByText('1 link across all accounts').waitFor();
      expect(await page.getByLabel('Owner').inputValue()).toBe(few.account.userId);
      await browser.go('/admin/accounts/ffffffffffffffffffffffff');
      await page.getByRole('alert').waitFor();
      await expectSound();
    },
  );

  it.each([
    [1280, 900],
    [360, 900],
    [740, 360],
  ])(
    'suspends accounts, changes their roles and ends their sessions, at %i by %i',
    async (width, height) => {
      await page.setViewportSize({ width, height });
      const owner = await ApiClient.on(service);
      const { email, userId, accessToken } = owner.account;
      const { alias } = await owner.aLink({});
      await browser.go(`/admin/accounts/${userId}`);
      await page.getByRole('button', { name: 'Suspend', exact: true }).click();
      const dialog = page.getByRole('dialog', { name: `Suspend ${email}` });
      await dialog.getByRole('button', { name: 'Suspend' }).click();
      await dialog.getByText('Enter a reason. It is kept in the audit trail.').waitFor();
      await page.keyboard.press('Escape');
      await carryOut('Suspend', `Phishing ${SCRIPT}`);
      await page.getByText(`${email} suspended`).waitFor();
      await page.getByText(`Suspended: Phishing ${SCRIPT}`).waitFor();
      await page.locator('.notice').getByRole('link', { name: admin.email }).waitFor();
      await expectSound();
      await eventually(async () => (await visit(service, alias)).status === 410);
      await carryOut('Unsuspend');
      await page.getByText(`${email} unsuspended`).waitFor();
      await eventually(async () => (await visit(service, alias)).status === 302);

      const { cookies } = await signIn(owner.account);
      await page.reload();
      await carryOut('End sessions');
      await page.getByText(`All sessions for ${email} ended`).waitFor();
      expect((await post(service, '/auth/refresh').set('Cookie', cookies)).status).toBe(401);
      expect((await post(service, '/api/v1/shorten').set(bearer(accessToken))).status).toBe(401);

      await carryOut('Reset password');
      await page.getByText(`Code sent to ${email}`).waitFor();
      expect(await newestCode(service, email)).toMatch(/^\d{6}$/);

      await carryOut('Make admin');
      await page.getByText(`${email} is now an admin`).waitFor();
      await carryOut('Remove admin role');
      await page.getByText(`${email} is no longer an admin`).waitFor();
      await page.getByRole('link', { name: 'Show changes to this account' }).click();
      await page.locator('tbody tr').nth(5).waitFor();
      expect(await page.locator('tbody th').allInnerTexts()).toEqual([
        'Changed a role',
        'Changed a role',
        'Reset a password',
        'Ended sessions',
        'Unsuspended an account',
        'Suspended an account',
      ]);
    },
  );

  it.each([1280, 360])(
    'deletes an account after the admin has typed its address, at a width of %i',
    async (width) => {
      await page.setViewportSize({ width, height: 900 });
      const dialog = page.getByRole('dialog');
      const remove = dialog.getByRole('button', { name: 'Delete account', exact: true });
      const confirm = dialog.getByLabel('Enter the email address to confirm');
      const [first, second] = [await ApiClient.on(service), await ApiClient.on(service)];
      const { email } = first.account;
      await browser.go(`/admin/accounts?search=${email}`);
      const row = page.getByRole('row', { name: email });
      await row.getByRole('button', { name: `Actions for ${email}` }).click();
      await page.getByRole('menuitem', { name: 'Delete account' }).click();
      await dialog.getByText('The account has 0 links with 0 clicks.').waitFor();
      await dialog.getByRole('textbox', { name: 'Reason' }).fill('Asked for by email');
      expect(await remove.isDisabled()).toBe(true);
      await confirm.fill(second.account.email);
      expect(await remove.isDisabled()).toBe(true);
      await confirm.fill(` ${email.toUpperCase()} `);
      expect(await remove.isEnabled()).toBe(true);
      await expectSound();
      await remove.click();
      await page.getByText(`${email} is being deleted`).waitFor();
      await browser.go(`/admin/accounts/${first.account.userId}`);
      await page.getByRole('alert').waitFor({ timeout: DELETION_MS });
      await browser.go(`/admin/accounts?search=${email}`);
      await page.getByText('No accounts found').waitFor();

      const { userId } = second.account;
      await browser.go(`/admin/accounts/${userId}`);
      await page.getByRole('button', { name: 'Delete account' }).click();
      await confirm.fill(second.account.email);
      await remove.click();
      await dialog.getByText('Enter a reason. It is kept in the audit trail.').waitFor();
      await dialog.getByRole('textbox', { name: 'Reason' }).fill(`Spam ${SCRIPT}`);
      const pid = await jobsPid(service);
      process.kill(pid, 'SIGSTOP');
      try {
        await remove.click();
        await page.locator('.state').getByText('Being deleted').waitFor();
        await page.getByText('Will be deleted on').waitFor();
        await expectSound();
        expect(await page.locator('main').getByRole('button').count()).toBe(0);
      } finally {
        process.kill(pid, 'SIGCONT');
      }
      await page.getByRole('alert').waitFor({ timeout: DELETION_MS });
      await expectSound();
    },
  );

  it('explains why a role cannot be changed', async () => {
    await browser.go(`/admin/accounts/${admin.userId}`);
    await page.getByText('This is your account').waitFor();
    await carryOut('Remove admin role');
    await page.getByRole('alert').getByText('ADMIN_EMAILS contains this address').waitFor();
    await expectSound();
  });

  it('keeps its colours distinct in dark mode', async () => {
    const { account } = await ApiClient.on(service);
    const path = `/api/v1/admin/accounts/${account.userId}/suspend`;
    const suspended = await post(service, path, { reason: 'Spam' }).set(bearer(admin.accessToken));
    expect(suspended.status).toBe(200);
    await page.emulateMedia({ colorScheme: 'dark' });
    for (const screen of ['accounts', `accounts/${account.userId}`]) {
      await browser.go(`/admin/${screen}`);
      await page.getByText('Suspended: Spam').waitFor();
      expect((await coloursOf(page)).broken).toEqual([]);
    }
    await page.emulateMedia({ colorScheme: 'light' });
  });

  async function signIn({ email, password }: TestAccount): Promise<{ cookies: string }> {
    const answer = await post(service, '/auth/login', { email, password });
    expect(answer.status).toBe(200);
    return { cookies: cookiesOf(answer) };
  }
});
