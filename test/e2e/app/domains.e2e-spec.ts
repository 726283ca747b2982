import type { Locator, Page } from 'playwright-core';
import { eventually } from '../../support/shared/eventually';
import { ApiClient } from '../../support/api-client';
import { AppBrowser } from '../../support/app/app-browser';
import { describeInBrowser } from '../../support/browser';
import { DnsServer } from '../../support/dns-server';
import { aVerifiedAccount } from '../../support/factories/accounts';
import { type Service, startService } from '../../support/service';

describeInBrowser('domains in the app', () => {
  let dns: DnsServer;
  let service: Service;
  let browser: AppBrowser;
  let page: Page;
  beforeAll(async () => {
    dns = await DnsServer.start();
    service = await startService({ env: { DNS_SERVERS: dns.address } });
    browser = await AppBrowser.open(service);
    page = browser.page;
  });
  afterAll(async () => {
    await browser.close();
    await service.stop();
    dns.stop();
  });
  afterEach(() => expect(browser.complaints()).toEqual([]));

  const expectSound = (): Promise<void> => browser.expectSound();

  it.each([1280, 360])(
    'are added, verified, configured and deleted in a window of %d pixels',
    async (width) => {
      const fqdn = `links-${width}.example.com`;
      await browser.signIn(await aVerifiedAccount(service));
      await page.setViewportSize({ width, height: 900 });
      await browser.go('/domains');
      await page.getByText('No domains yet').waitFor();
      await expectSound();
      await page.getByRole('button', { name: 'Add a domain' }).click();
      const dialog = page.getByRole('dialog', { name: 'Add a domain' });
      await dialog.getByLabel('Domain').fill('no domain/');
      await dialog.getByRole('button', { name: 'Add a domain' }).click();
      await dialog.getByText('Enter a domain name').waitFor();
      await dialog.getByLabel('Domain').fill(`https://${fqdn.toUpperCase()}/x?y`);
      await dialog.getByRole('button', { name: 'Add a domain' }).click();
      await page.getByRole('heading', { level: 1, name: fqdn }).waitFor();
      await page.getByText('Pending').waitFor();
      await expectSound();

      const proof =
        (await page.locator('code', { hasText: 'curtail-verify=' }).textContent()) ?? '';
      await page.getByRole('button', { name: `Copy ${proof}` }).waitFor();
      await page.getByRole('button', { name: `Copy _curtail.${fqdn}` }).waitFor();
      await page.getByRole('button', { name: 'Check now' }).click();
      const status = page.getByRole('main').getByRole('status');
      await status.filter({ hasText: `There is no TXT record _curtail.${fqdn}` }).waitFor();
      const record = page.getByRole('row', { name: /^TXT/ });
      await record.getByText('Not found').waitFor();
      dns.records.set(`_curtail.${fqdn}`, { txt: [['another value']] });
      await page.getByRole('button', { name: 'Check now' }).click();
      await record.getByText('another value').waitFor();
      await page.getByText('No record can point to localhost').waitFor();
      await expectSound();
      dns.prove(fqdn, proof);
      await page.getByRole('button', { name: 'Check now' }).click();
      await record.getByText('Found', { exact: true }).waitFor();
      await status.filter({ hasText: 'The domain is active' }).waitFor();

      await page.getByRole('button', { name: 'Make default' }).click();
      await page.getByText('Default', { exact: true }).waitFor();
      await page.getByLabel('Root redirects to').fill('ftp://example.org');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Enter a web address').waitFor();
      await page.getByLabel('Root redirects to').fill('https://example.org/');
      await page.getByLabel('robots.txt').fill('User-agent: *');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Saved').waitFor();
      await expectSound();

      await page.getByRole('link', { name: 'All domains' }).click();
      await page.getByRole('row', { name: new RegExp(`${fqdn} Default Active 0`) }).waitFor();
      await expectSound();
      await page.getByRole('link', { name: fqdn }).click();
      await page.getByRole('button', { name: 'Remove domain' }).click();
      const asked = page.getByRole('dialog', { name: `Remove ${fqdn}?` });
      await asked.getByText('This domain has no links.').waitFor();
      await asked.getByRole('button', { name: 'Remove', exact: true }).click();
      await page.getByRole('row', { name: new RegExp(`${fqdn} Revoked 0`) }).waitFor();
      await page.getByRole('link', { name: fqdn }).click();
      await page.getByRole('button', { name: 'Add again' }).click();
      await page.getByText('Pending').waitFor();
    },
  );

  it.each([1280, 360])(
    'have links that users create, find, move and paste in a window of %d pixels',
    async (width) => {
      const fqdn = `go-${width}.example.com`;
      const [own, host] = [`localhost:${service.port}`, `${fqdn}:${service.port}`];
      const alias = `sale-${width}`;
      const client = await ApiClient.on(service);
      await client.aLink({ alias });
      await browser.signIn(client.account);
      await page.setViewportSize({ width, height: 900 });
      await browser.go('/links?new=1');
      const drawer = page.getByRole('dialog');
      await drawer.getByText(`${own}/`, { exact: true }).waitFor();
      expect(await drawer.getByLabel('Domain').count()).toBe(0);

      const domain = (await client.call('post', '/api/v1/custom-domains', { fqdn })).body;
      dns.prove(fqdn, domain.dns_records[0].value as string);
      await client.call('post', `/api/v1/custom-domains/${domain.id}/verify`);
      await browser.go('/links?new=1');
      await drawer.getByLabel('Destination').fill('example.com/on-a-domain');
      await drawer.getByLabel('Alias').fill(alias);
      await drawer.getByText('This alias is taken.').waitFor();
      await drawer.getByLabel('Domain').selectOption(host);
      await drawer.getByText(`${host}/`, { exact: true }).waitFor();
      await drawer.getByText('This alias is available.').waitFor();
      await expectSound();
      await drawer.getByRole('button', { name: 'Shorten' }).click();
      await drawer.getByText(`${host}/${alias}`, { exact: true }).waitFor();
      await pictureOf(drawer.getByRole('img', { name: `QR code for ${host}/${alias}` }));
      await page.keyboard.press('Escape');

      const named = (name: string) => page.getByRole('link', { name, exact: true });
      await named(`${own}/${alias}`).waitFor();
      await named(`${host}/${alias}`).waitFor();
      await expectSound();
      await page.getByRole('button', { name: 'Filters' }).click();
      await page.getByLabel('Domain').selectOption(fqdn);
      await page.getByText('1 link', { exact: true }).waitFor();
      await named(`${host}/${alias}`).waitFor();
      expect(await named(`${own}/${alias}`).count()).toBe(0);
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: `Actions for ${fqdn}/${alias}` }).click();
      await page.getByRole('menuitem', { name: 'QR code' }).click();
      await pictureOf(page.getByRole('img', { name: `QR code for ${host}/${alias}` }));
      await page.keyboard.press('Escape');

      await named(`${host}/${alias}`).click();
      await page.getByRole('link', { name: 'Edit', exact: true }).click();
      await page.getByLabel('Domain').selectOption(own);
      await page.getByText('This alias is taken.').waitFor();
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('This alias is taken. Choose another one.').waitFor();
      await page.getByLabel('Alias').fill(`moved-${width}`);
      await page.getByText('This alias is available.').waitFor();
      await expectSound();
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('heading', { level: 1, name: `${own}/moved-${width}` }).waitFor();

      await browser.go('/links?many=1');
      const many = page.getByRole('dialog');
      const rows = ['long_url\tdomain\talias', `example.com/a\t\t${alias}`];
      const text = [...rows, `example.com/b\tdefault\tb-${width}`].join('\n');
      await many.getByLabel('Destinations').fill(text);
      await many.getByLabel('Domain').selectOption(host);
      await expectSound();
      await many.getByRole('button', { name: 'Create 2 links' }).click();
      await many.getByRole('link', { name: `${host}/${alias}`, exact: true }).waitFor();
      await many.getByRole('link', { name: `${own}/b-${width}`, exact: true }).waitFor();
    },
  );
});

async function pictureOf(image: Locator): Promise<void> {
  await image.waitFor();
  await eventually('the picture is there', () =>
    image.evaluate((element) => (element as unknown as { naturalWidth: number }).naturalWidth > 0),
  );
}
