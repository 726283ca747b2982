import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { ApiClient } from '../../support/api-client';
import { AppBrowser } from '../../support/app/app-browser';
import { describeInBrowser } from '../../support/browser';
import { curtail } from '../../support/curtail';
import { anAdmin, WITH_ADMIN } from '../../support/factories/accounts';
import { post, visit } from '../../support/http';
import { eventually, type Service, startService } from '../../support/service';

/** Number of consecutive visits, enough to reach both web processes. */
const VISITS = 8;

describeInBrowser('abuse, from report to resolution (docs/contract.md#24.10)', () => {
  const folder = mkdtempSync(join(tmpdir(), 'curtail-moderation-'));
  const dataDir = join(folder, 'data');
  const hosts = join(folder, 'hosts.txt');
  const env = { ...WITH_ADMIN, WEB_CONCURRENCY: '2', BLOCKED_HOSTS_FILE: hosts };
  let service: Service;
  let browser: AppBrowser;
  let page: Page;
  let other: ApiClient;
  beforeAll(async () => {
    mkdirSync(dataDir);
    writeFileSync(hosts, '# none\n');
    service = await startService({ embedded: true, dataDir, env });
    const admin = await anAdmin(service);
    other = await ApiClient.on(service);
    browser = await AppBrowser.open(service);
    page = browser.page;
    await browser.signIn(admin);
  });
  afterAll(async () => {
    await browser.close();
    await service.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  afterEach(() => expect(browser.complaints()).toEqual([]));

  const everywhere = (status: number, ...aliases: string[]): Promise<void> =>
    eventually(`${aliases.join()} are ${status}`, async () => {
      for (const alias of aliases.flatMap((each) => Array<string>(VISITS).fill(each)))
        if ((await visit(service, alias)).status !== status) return false;
      return true;
    });

  async function spread(host: string): Promise<{ owner: ApiClient; aliases: string[] }> {
    const owner = await ApiClient.on(service);
    const made = [
      await owner.aLink({ long_url: `https://${host}/` }),
      await owner.aLink({ long_url: 'https://fine.example/' }),
      await other.aLink({ long_url: `https://www.${host}/` }),
    ];
    const aliases = made.map(({ alias }) => alias);
    await everywhere(302, ...aliases);
    const items = [{ code_or_url: aliases[0], reason: 'phishing' }];
    const reported = await post(service, '/api/v1/reports', { items });
    expect([reported.status, reported.body.accepted]).toEqual([200, 1]);
    return { owner, aliases };
  }

  async function choose(alias: string, act: string): Promise<void> {
    await page.getByRole('button', { name: `Actions for ${alias}` }).click();
    await page.getByRole('menuitem', { name: act, exact: true }).click();
  }

  async function create(host: string): Promise<number> {
    const { status } = await post(service, '/api/v1/shorten', { long_url: `https://${host}/new` });
    return status;
  }

  it('is closed in one dialog of the app, and the user can undo this there', async () => {
    const host = 'phish-app.example';
    const { owner, aliases } = await spread(host);
    const [reported = '', elsewhere = '', another = ''] = aliases;
    const { email } = owner.account;
    await browser.go('/admin');
    await page.getByRole('link', { name: '1 open report' }).click();
    await page.getByRole('button', { name: 'Block link' }).click();
    const dialog = page.getByRole('dialog', { name: `Block ${reported}` });
    await dialog.getByLabel(`Also block all links to ${host}`).check();
    await dialog.getByLabel(`Also suspend the owner: ${email}`).check();
    await dialog.getByRole('button', { name: 'Block link' }).click();
    await page.getByText(`${reported} blocked`).waitFor();
    await everywhere(410, ...aliases);
    expect(await create(host)).toBe(201);
    writeFileSync(hosts, `${host}\n`);
    await eventually('new links are refused', async () => (await create(host)) === 400);

    writeFileSync(hosts, '# none\n');
    await eventually('new links are taken', async () => (await create(host)) === 201);
    for (const alias of [reported, another]) {
      await browser.go(`/admin/links?search=${alias}`);
      await choose(alias, 'Unblock');
      await page.getByRole('dialog').getByRole('button', { name: 'Unblock' }).click();
      await page.getByText(`${alias} unblocked`).waitFor();
    }
    await everywhere(302, another);
    await everywhere(410, reported, elsewhere);
    await browser.go('/admin/accounts?status=suspended');
    await page.getByRole('row', { name: email }).getByRole('link', { name: email }).click();
    await page.getByText('Suspended: Phishing').waitFor();
    await page.getByRole('button', { name: 'Unsuspend' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Unsuspend' }).click();
    await page.getByText(`${email} unsuspended`).waitFor();
    await everywhere(302, ...aliases);
  });

  it('is closed for a whole host, which the app blocks and unblocks', async () => {
    const host = 'phish-host.example';
    const { aliases } = await spread(host);
    const [reported = '', fine = '', another = ''] = aliases;
    await browser.go('/admin/hosts');
    await page.getByText('No host is blocked here').waitFor();
    await page.getByRole('button', { name: 'Block a host' }).click();
    const dialog = page.getByRole('dialog', { name: 'Block a host' });
    await dialog.getByLabel('Host or URL').fill('zip');
    await dialog.getByRole('button', { name: 'Block host' }).click();
    await dialog.getByText('a host with a dot').waitFor();
    await dialog.getByLabel('Host or URL').fill(`https://${host}/login?a=b`);
    await dialog.getByText(`2 links lead to ${host}, from 2 accounts.`).waitFor();
    await dialog.getByLabel('Reason').fill('Phishing');
    await dialog.getByRole('button', { name: 'Block host' }).click();
    await page.getByText('Host blocked').waitFor();
    await page.getByRole('row', { name: host }).getByText('Phishing').waitFor();
    await eventually('new links are refused', async () => (await create(host)) === 400);
    await everywhere(410, reported, another);
    await everywhere(302, fine);
    await page.getByRole('row', { name: host }).getByRole('button', { name: 'Unblock' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Unblock' }).click();
    await page.getByText(`${host} unblocked`).waitFor();
    await everywhere(302, reported, another);
    await browser.go(`/admin/links?search=${another}`);
    await choose(another, `Block www.${host}`);
    const known = page.getByRole('dialog', { name: 'Block a host' }).getByLabel('Host or URL');
    expect(await known.inputValue()).toBe(`www.${host}`);
    await page.keyboard.press('Escape');
  });

  it('is closed by commands, and commands can undo this', async () => {
    const host = 'phish-cli.example';
    const { owner, aliases } = await spread(host);
    const [reported = '', elsewhere = '', another = ''] = aliases;
    const admin = async (...args: string[]): Promise<string> => {
      const end = await curtail(dataDir, ['admin', ...args], env);
      expect([args, end.code, end.err]).toEqual([args, 0, '']);
      return end.out;
    };
    expect(await admin('reports')).toContain(reported);
    await admin('block', reported, '--reason', 'Phishing');
    await everywhere(410, reported);
    await everywhere(302, elsewhere, another);
    writeFileSync(hosts, `${host}\n`);
    await everywhere(410, another);
    await eventually('new links are refused', async () => (await create(host)) === 400);
    await admin('suspend', owner.account.email, '--reason', 'Phishing');
    await everywhere(410, ...aliases);

    await admin('unsuspend', owner.account.email);
    await everywhere(302, elsewhere);
    writeFileSync(hosts, '# none\n');
    await everywhere(302, another);
    await everywhere(410, reported);
    await admin('unblock', reported);
    await everywhere(302, ...aliases);
    expect((await admin('trail')).split('\n').length).toBeGreaterThan(4);
  });
});
