import request from 'supertest';
import { AppBrowser, settled } from '../../support/app/app-browser';
import { type BrowserOptions, describeInBrowser } from '../../support/browser';
import { aVerifiedAccount } from '../../support/factories/accounts';
import { bearer } from '../../support/http';
import { type Service, startService } from '../../support/service';

const IN_UTC = [1, 2, 3].map(() => expect.stringContaining('Time zone: UTC'));

describeInBrowser('the app in a browser with its own time zone', () => {
  let service: Service;
  let id: string;
  let account: Awaited<ReturnType<typeof aVerifiedAccount>>;

  beforeAll(async () => {
    service = await startService();
    account = await aVerifiedAccount(service);
    const made = await request(service.url)
      .post('/api/v1/shorten')
      .set(bearer(account.accessToken))
      .send({ long_url: 'https://example.com/' });
    id = made.body.id;
    await request(service.url).get(`/${made.body.alias}`);
  });
  afterAll(() => service.stop());

  async function zonesIn(
    prepare: (browser: AppBrowser) => Promise<unknown>,
    options: BrowserOptions = {},
  ): Promise<string[]> {
    const zones: string[] = [];
    const browser = await AppBrowser.open(service, options);
    try {
      await prepare(browser);
      await browser.signIn(account);
      for (const path of ['', '/analytics', `/links/${id}`, '/links?new=1']) {
        await browser.page.goto(browser.at(`/dashboard${path}`));
        await settled(browser.page);
        expect(await browser.page.getByText(/Something went wrong|not an IANA/).count()).toBe(0);
        if (path === '/links?new=1') continue;
        zones.push(await browser.page.getByText(/Time zone: /).innerText());
      }
      expect(browser.complaints()).toEqual([]);
      return zones;
    } finally {
      await browser.close();
    }
  }

  it('uses UTC if the system has an invalid zone', async () => {
    const examine = async ({ page }: AppBrowser): Promise<void> => {
      const zone = 'Intl.DateTimeFormat().resolvedOptions().timeZone';
      expect(await page.evaluate(zone)).toBe('Etc/Unknown');
    };
    const zones = await zonesIn(examine, { systemZone: 'Foo/Bar' });
    expect(zones).toEqual(IN_UTC);
  });

  it.each(['SystemV/PST8'])(
    'uses UTC if the browser has a zone that the API rejects (%s)',
    async (zone) => {
      const zones = await zonesIn(({ page }) =>
        page.addInitScript(`{
          const Format = Intl.DateTimeFormat;
          const own = ${JSON.stringify(zone)};
          Intl.DateTimeFormat = function (locale, options = {}) {
            const isOwn = options.timeZone === own;
            const format = new Format(locale, isOwn ? { ...options, timeZone: 'Asia/Kolkata' } : options);
            if (options.timeZone === undefined) {
              const resolved = format.resolvedOptions();
              format.resolvedOptions = () => ({ ...resolved, timeZone: own });
            }
            return format;
          };
          Intl.DateTimeFormat.prototype = Format.prototype;
        }`),
      );
      expect(zones).toEqual(IN_UTC);
    },
  );
});
