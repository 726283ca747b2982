import type { Connection } from 'mongoose';
import type { Page } from 'playwright-core';
import type { JobsRepository } from '../../../src/infrastructure/jobs/jobs.repository';
import { ApiClient } from '../../support/api-client';
import { AppBrowser } from '../../support/app/app-browser';
import { describeInBrowser } from '../../support/browser';
import { anAdmin, type TestAccount, WITH_ADMIN } from '../../support/factories/accounts';
import { databaseOf } from '../../support/database';
import { storedDomain } from '../../support/factories/domains';
import { aBlocklist } from '../../support/factories/blocklist';
import { jobsIn } from '../../support/factories/stored-job';
import { SCRIPT } from '../../support/hostile-texts';
import { post, visit } from '../../support/http';
import { startWithJobs } from '../../support/jobs/service-with-jobs';
import type { Service } from '../../support/service';

describeInBrowser('the administration, in the app', () => {
  let service: Service;
  let database: Connection;
  let jobs: JobsRepository;
  let browser: AppBrowser;
  let page: Page;
  let admin: TestAccount;
  let owner: ApiClient;
  beforeAll(async () => {
    const env = { ...WITH_ADMIN, BLOCKED_URLS_FILE: aBlocklist('evil', '(') };
    service = await startWithJobs({ env });
    database = await databaseOf(service);
    jobs = jobsIn(database);
    admin = await anAdmin(service);
    owner = await ApiClient.on(service);
    browser = await AppBrowser.open(service);
    page = browser.page;
  });
  afterAll(async () => {
    await browser.close();
    await database.close();
    await service.stop();
  });
  beforeEach(() => browser.signIn(admin));
  afterEach(() => expect(browser.complaints()).toEqual([]));

  const expectSound = (): Promise<void> => browser.expectSound();

  async function choose(alias: string, act: string): Promise<void> {
    await page.getByRole('button', { name: `Actions for ${alias}` }).click();
    await page.getByRole('menuitem', { name: act, exact: true }).click();
  }

  it('is not shown to other accounts', async () => {
    await browser.signIn(owner.account);
    for (const path of ['', '/links', '/trail']) {
      await browser.go(`/admin${path}`);
      await page.getByRole('heading', { name: 'Page not found' }).waitFor();
    }
    const navigation = page.getByRole('navigation', { name: 'Main' });
    expect(await navigation.getByRole('link', { name: 'Administration' }).count()).toBe(0);
    await browser.signIn(admin);
    await browser.go('/admin/nothing');
    await page.getByRole('heading', { name: 'Page not found' }).waitFor();
  });

  it.each([1280, 360])(
    'finds, blocks, unblocks and deletes links, and records each action, at a width of %i',
    async (width) => {
      await page.setViewportSize({ width, height: 900 });
      const [alias, other] = [`bad-${width}`, `fine-${width}`];
      const input = { steps: 1_000_000, pauseMs: 20 };
      await jobs.insert({ kind: 'import', ownerId: owner.account.userId, input });
      await owner.aLink({ alias, long_url: `https://bad-${width}.example.com/?q=${SCRIPT}` });
      await owner.aLink({ alias: other });
      await browser.go('');
      if (width === 360) await page.getByRole('button', { name: 'More', exact: true }).click();
      await page
        .getByRole('navigation', { name: 'Main' })
        .getByRole('link', { name: 'Administration' })
        .click();
      const administration = page.getByRole('navigation', { name: 'Administration' });
      await administration.getByRole('link', { name: 'Links' }).click();
      await page.getByRole('row', { name: other }).waitFor();
      await page.getByRole('searchbox', { name: 'Search links' }).fill(`BAD-${width}`);
      const row = page.getByRole('row', { name: alias });
      await page.getByRole('row', { name: other }).waitFor({ state: 'detached' });
      await row.getByText(owner.account.email).waitFor();
      // Destinations are plain text, so that admins do not open them accidentally.
      expect(await page.locator('main a[href*="example.com"]').count()).toBe(0);
      await expectSound();

      await choose(alias, 'Block');
      const dialog = page.getByRole('dialog', { name: `Block ${alias}` });
      expect(await dialog.getByRole('textbox', { name: 'Reason' }).inputValue()).toBe('');
      await dialog.getByText(`1 link leads to bad-${width}.example.com, from 1 account`).waitFor();
      await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
      await dialog.getByText('Enter a reason. It is kept in the audit trail.').waitFor();
      await expectSound();
      await dialog.getByRole('textbox', { name: 'Reason' }).fill(`Phishing ${SCRIPT}`);
      await dialog.getByRole('button', { name: 'Block', exact: true }).click();
      await page.getByText(`${alias} blocked`).waitFor();
      await row.getByText(`Blocked: Phishing ${SCRIPT}`).waitFor();
      await expectSound();
      expect((await visit(service, alias)).status).toBe(410);
      await page.getByLabel('Status').selectOption('Blocked');
      await page.reload();
      await choose(alias, 'Unblock');
      await page
        .getByRole('dialog', { name: `Unblock ${alias}` })
        .getByRole('button', { name: 'Unblock' })
        .click();
      await page.getByText('No links found').waitFor();
      expect((await visit(service, alias)).status).toBe(302);

      await browser.go('/admin/links');
      await row.getByTitle(`Show all links owned by ${owner.account.email}`).click();
      await row.getByTitle(`Show all links to bad-${width}.example.com`).click();
      expect(await page.getByLabel('Destination host').inputValue()).toBe(
        `bad-${width}.example.com`,
      );
      await page.getByRole('row', { name: other }).waitFor({ state: 'detached' });
      await choose(alias, 'Delete');
      const asked = page.getByRole('dialog', { name: `Delete ${alias}` });
      await asked.getByRole('button', { name: 'Delete' }).click();
      await page.getByText(`${alias} deleted`).waitFor();
      expect((await visit(service, alias)).status).toBe(404);

      await administration.getByRole('link', { name: 'Audit trail' }).click();
      await page.getByRole('row', { name: `Unblocked a link` }).first().waitFor();
      await page.getByTitle(`Show all entries about ${alias}`).first().click();
      await page.getByText('Filters hide some entries.').waitFor();
      await page.locator('tbody tr').nth(3).waitFor({ state: 'detached' });
      expect(await page.locator('tbody th').allInnerTexts()).toEqual([
        'Deleted a link',
        'Unblocked a link',
        'Blocked a link',
      ]);
      await page.getByText(`Phishing ${SCRIPT}`).waitFor();
      await expectSound();
      const [file] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('link', { name: 'Export as NDJSON' }).click(),
      ]);
      expect(file.suggestedFilename()).toBe('curtail-trail.ndjson');

      await administration.getByRole('link', { name: 'Jobs' }).click();
      const job = page.getByRole('row').filter({ hasText: owner.account.email });
      await job.first().getByText('Running').waitFor();
      await expectSound();
      await job.first().getByRole('button', { name: 'Cancel job' }).click();
      await page.getByRole('textbox', { name: 'Reason' }).fill('Too much');
      await expectSound();
      await page.getByRole('dialog').getByRole('button', { name: 'Cancel job' }).click();
      await page.getByText('Job cancelled').waitFor();
      await job.first().getByText('Cancelled').waitFor();

      await administration.getByRole('link', { name: 'Blocklists' }).click();
      await page.getByRole('heading', { name: 'Address patterns' }).waitFor();
      await page.getByText('BLOCKED_HOSTS_FILE is not set.').waitFor();
      await page.getByText('1 line cannot be read and is skipped').click();
      await expectSound();
      await administration.getByRole('link', { name: 'Blocked hosts' }).click();
      await page.getByRole('button', { name: 'Block a host' }).click();
      await page.getByLabel('Host or URL').fill('https://evil.example/x');
      await page.getByText('lead to evil.example').waitFor();
      await expectSound();
      await page.keyboard.press('Escape');
    },
  );

  it.each([1280, 360])(
    'links from the overview to reports, and closes those of a whole host, at a width of %i',
    async (width) => {
      await page.setViewportSize({ width, height: 900 });
      const host = `phish-${width}.example.com`;
      const aliases = [`rep-${width}`, `same-${width}`, `calm-${width}`] as const;
      await owner.aLink({ alias: aliases[0], long_url: `https://${host}/?q=${SCRIPT}` });
      await owner.aLink({ alias: aliases[1], long_url: `https://www.${host}/` });
      await owner.aLink({ alias: aliases[2] });
      const items = [
        { code_or_url: aliases[0], reason: 'phishing', details: SCRIPT, vector: 'sms' },
        { code_or_url: aliases[2], reason: 'spam' },
      ];
      const sent = await post(service, '/api/v1/reports', {
        items,
        reporter_email: 'reporter@example.com',
      });
      expect(sent.body.accepted).toBe(2);
      await browser.go('/admin');
      await page.getByRole('heading', { name: 'Needs attention' }).waitFor();
      await page.getByText('Storage').waitFor();
      await page.getByText('No mail server: emails are not delivered').waitFor();
      await page.getByText('1 unreadable line in blocklists').waitFor();
      await expectSound();
      await page
        .getByRole('navigation', { name: 'Administration' })
        .getByRole('link', { name: 'Reports' })
        .click();
      const report = (alias: string) =>
        page.getByRole('listitem').filter({
          has: page.getByRole('heading', { name: alias }),
        });
      await report(aliases[0]).getByText('Report details').click();
      await report(aliases[0]).getByText(SCRIPT, { exact: true }).waitFor();
      await report(aliases[0]).getByText('From reporter@example.com').waitFor();
      expect(await page.locator('main a[href*="example.com"]').count()).toBe(0);
      await expectSound();

      await report(aliases[2]).getByRole('button', { name: 'Dismiss' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Dismiss' }).click();
      await page.getByText('Report dismissed').waitFor();
      await report(aliases[2]).waitFor({ state: 'detached' });
      expect((await visit(service, aliases[2])).status).toBe(302);

      await report(aliases[0]).getByRole('button', { name: 'Block link' }).click();
      const dialog = page.getByRole('dialog', { name: `Block ${aliases[0]}` });
      await dialog.getByLabel(`Also block all links to ${host}`).check();
      await expectSound();
      await dialog.getByRole('button', { name: 'Block link' }).click();
      await page.getByText(`${aliases[0]} blocked`).waitFor();
      await page.getByText('No open reports').waitFor();
      for (const alias of aliases.slice(0, 2)) {
        expect((await visit(service, alias)).status).toBe(410);
      }
      await page.getByLabel('Status').selectOption('Dismissed');
      await report(aliases[2]).waitFor();
      await expectSound();
    },
  );

  it('shares a domain with all accounts, which can then choose it', async () => {
    await page.setViewportSize({ width: 360, height: 900 });
    const fqdn = 'team.example.net';
    const shared = `${fqdn} (shared)`;
    await storedDomain(service, admin, fqdn);
    await browser.go('/admin/domains');
    await page.getByRole('searchbox', { name: 'Search domains' }).fill('TEAM');
    await page.getByLabel('Status').selectOption('Active');
    const row = page.getByRole('row', { name: fqdn });
    await row.getByText(admin.email).waitFor();
    await row.getByRole('button', { name: 'Share with all accounts' }).click();
    const share = page.getByRole('dialog', { name: `Share ${fqdn} with all accounts` });
    await share.getByText('Other accounts have 0 links on this domain.').waitFor();
    await expectSound();
    await share.getByRole('button', { name: 'Share with all accounts' }).click();
    await row.getByText('Shared').waitFor();
    await expectSound();
    await browser.go('/domains');
    await page.getByRole('row', { name: new RegExp(`${fqdn} Shared`) }).waitFor();

    const { account } = await ApiClient.on(service);
    await browser.signIn(account);
    await browser.go('/domains');
    await page.getByRole('heading', { name: 'Shared domains' }).waitFor();
    await page.getByRole('row', { name: new RegExp(fqdn) }).waitFor();
    await expectSound();
    await browser.go('/links?many=1');
    const many = page.getByRole('dialog');
    await many.getByLabel('Destinations').fill('example.com/one');
    await many.getByLabel('Domain').selectOption(shared);
    await browser.go('/links?new=1');
    const drawer = page.getByRole('dialog');
    await drawer.getByLabel('Destination').fill('example.com/team');
    await drawer.getByLabel('Alias').fill('team');
    await drawer.getByLabel('Domain').selectOption(shared);
    await drawer.getByText('This alias is available.').waitFor();
    await drawer.getByRole('button', { name: 'Shorten' }).click();
    await drawer.getByText(`${fqdn}:${service.port}/team`, { exact: true }).waitFor();

    await browser.signIn(admin);
    await browser.go('/admin/domains?search=team');
    await row.getByRole('button', { name: 'Stop sharing' }).click();
    const stop = page.getByRole('dialog', { name: `Stop sharing ${fqdn}` });
    await stop.getByText('Other accounts have 1 link on this domain.').waitFor();
    await stop.getByRole('button', { name: 'Stop sharing' }).click();
    await row.getByRole('button', { name: 'Share with all accounts' }).waitFor();
  });

  it('blocks selected links, and keeps links selected for which this failed', async () => {
    await page.setViewportSize({ width: 1280, height: 900 });
    const host = 'many-bad.example.com';
    const made = [];
    for (let i = 0; i < 3; i++) made.push(await owner.aLink({ long_url: `https://${host}/${i}` }));
    await browser.go(`/admin/links?host=${host}`);
    await page.getByRole('checkbox', { name: 'Select all on this page' }).check();
    await page.getByText('3 selected').waitFor();
    await database.collection('links').deleteOne({ alias: made[0]?.alias });
    const bar = page.getByRole('region', { name: 'Selected links' });
    await bar.getByRole('button', { name: 'Block', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Block 3 selected links' });
    await dialog.getByText(`2 links lead to ${host}, from 1 account`).waitFor();
    await dialog.getByRole('textbox', { name: 'Reason' }).fill('Spam');
    await expectSound();
    await dialog.getByRole('button', { name: 'Block', exact: true }).click();
    await page.getByText('1 selected').waitFor();
    await bar.getByText('no longer exists').waitFor();
    await page.getByText('Blocked: Spam').nth(1).waitFor();
    for (const { alias } of made.slice(1)) expect((await visit(service, alias)).status).toBe(410);
  });
});
