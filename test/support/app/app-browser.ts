import type { Page } from 'playwright-core';
import { accessibilityOf, overflowOf } from '../accessibility';
import { Browser, type BrowserOptions } from '../browser';
import { eventually } from '../shared/eventually';
import type { TestAccount } from '../factories/accounts';
import type { Service } from '../service';

/** Browser messages about responses that a test expects, for example a refused form. */
const STATUS = 'the server responded with a status';

export class AppBrowser {
  private constructor(
    private readonly browser: Browser,
    private readonly site: string,
  ) {}

  static async open(service: Service, options: BrowserOptions = {}): Promise<AppBrowser> {
    const browser = await Browser.open({ javaScript: true, ...options });
    return new AppBrowser(browser, `http://localhost:${service.port}`);
  }

  get page(): Page {
    return this.browser.page;
  }

  at(path: string): string {
    return this.site + path;
  }

  async signIn({ cookies }: TestAccount): Promise<void> {
    const context = this.page.context();
    await context.clearCookies();
    await context.addCookies(
      cookies
        .split('; ')
        .map((pair) => pair.split('='))
        .filter(([name]) => name === 'access_token' || name === 'refresh_token')
        .map(([name = '', ...value]) => ({ name, value: value.join('='), url: this.site })),
    );
  }

  async go(path: string, page = this.page): Promise<void> {
    await page.goto(this.at(`/dashboard${path}`));
    await settled(page);
  }

  complaints(): string[] {
    const strangers = [...this.browser.origins].filter((origin) => origin !== this.site);
    const said = this.browser.complaints.filter((text) => !text.includes(STATUS));
    return [...said, ...strangers.filter((origin) => origin !== 'null')];
  }

  /** Checks the screen in light mode if the window is wide; otherwise in dark mode. */
  async expectSound(): Promise<void> {
    const { page } = this;
    const isWide = (page.viewportSize()?.width ?? 0) > 832;
    await settled(page);
    await page.emulateMedia({ colorScheme: isWide ? 'light' : 'dark' });
    expect((await accessibilityOf(page)).broken).toEqual([]);
    expect(await overflowOf(page)).toBe(0);
    expect(await page.locator('body [onerror], main script, dialog script').count()).toBe(0);
  }

  close(): Promise<void> {
    return this.browser.close();
  }
}

export async function settled(page: Page): Promise<void> {
  await page.locator('main h1').first().waitFor({ state: 'attached' });
  await eventually('nothing is on its way', async () => {
    return (await page.locator('.skeleton').count()) === 0;
  });
}
