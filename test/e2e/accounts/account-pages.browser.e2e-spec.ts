import { accessibilityOf, coloursOf, overflowOf } from '../../support/accessibility';
import { Browser, type BrowserOptions, describeInBrowser } from '../../support/browser';
import { anEmail, STRONG_PASSWORD } from '../../support/factories/accounts';
import { QUOTES, SCRIPT } from '../../support/hostile-texts';
import { newestCode } from '../../support/outbox';
import { type Service, startService } from '../../support/service';

const NEXT_PASSWORD = 'Difference-Engine-2';

describeInBrowser('account pages in a browser', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({
      env: {
        GOOGLE_CLIENT_ID: 'x',
        GOOGLE_CLIENT_SECRET: 'y',
        OIDC_ISSUER: 'https://login.example',
        OIDC_CLIENT_ID: 'x',
        OIDC_CLIENT_SECRET: 'y',
        OIDC_NAME: SCRIPT,
      },
    });
  });
  afterAll(() => service.stop());

  const at = (path: string): string => `http://localhost:${service.port}${path}`;

  async function inBrowser(
    options: BrowserOptions,
    visit: (browser: Browser) => Promise<void>,
  ): Promise<void> {
    const browser = await Browser.open(options);
    try {
      await visit(browser);
      // Ignores console messages about a refused form's status.
      const complaints = browser.complaints.filter((text) => !text.includes('the server resp'));
      expect(complaints).toEqual([]);
      expect([...browser.origins]).toEqual([at('')]);
    } finally {
      await browser.close();
    }
  }

  async function type({ page }: Browser, ...texts: string[]): Promise<void> {
    await page.locator('input:focus').waitFor();
    for (const [i, text] of texts.entries()) {
      if (i > 0) await page.keyboard.press('Tab');
      await page.keyboard.type(text);
    }
    await page.keyboard.press('Enter');
  }

  const heading = ({ page }: Browser): Promise<string> => page.locator('h1').innerText();

  it.each([true, false])(
    'guide a person from sign-up to a link and sign-out by keyboard alone (JavaScript: %j)',
    async (javaScript) => {
      await inBrowser({ javaScript }, async (browser) => {
        const { page } = browser;
        const email = anEmail();
        await page.goto(at('/register'));
        await type(browser, email, STRONG_PASSWORD, 'Ada');
        await page.waitForURL(at('/register/verify'));
        await type(browser, await newestCode(service, email));
        await page.waitForURL((url) => url.pathname !== '/register/verify');

        await page.goto(at('/'));
        await type(browser, 'example.com/by-keyboard');
        await page.waitForURL(at('/result/*'));
        await page.getByRole('link', { name: 'Statistics', exact: true }).last().focus();
        await page.keyboard.press('Enter');
        await page.getByText('No clicks yet').waitFor();

        await page.locator('.menu summary').focus();
        await page.keyboard.press('Enter');
        for (let i = 0; i < 3; i++) await page.keyboard.press('Tab');
        await page.keyboard.press('Enter');
        await page.waitForURL(at('/'));
        await page.getByRole('link', { name: 'Sign in' }).waitFor();

        await page.goto(at('/login'));
        await type(browser, email, STRONG_PASSWORD);
        await page.waitForURL((url) => url.pathname !== '/login');
        await page.goto(at('/'));
        expect(await page.locator('.menu summary').innerText()).toBe(email);
      });
    },
  );

  it('let a person with a forgotten password sign in again, and ask for the address only once', async () => {
    await inBrowser({ javaScript: true }, async (browser) => {
      const { page } = browser;
      const email = anEmail();
      await page.goto(at('/register'));
      await type(browser, email, STRONG_PASSWORD);
      await page.waitForURL(at('/register/verify'));
      await newestCode(service, email);
      await page.locator('.menu summary').click();
      await page.getByRole('button', { name: 'Sign out' }).click();
      await page.getByRole('link', { name: 'Sign in' }).click();
      await page.getByRole('link', { name: 'Forgot your password?' }).click();
      await page.waitForURL(at('/login/forgot-password'));
      await type(browser, email);
      await page.waitForURL(at('/login/reset-password'));
      expect(await page.getByLabel('Email address').inputValue()).toBe(email);
      await type(browser, await newestCode(service, email, 2), NEXT_PASSWORD);
      await page.getByText('Your password was changed').waitFor();
      await type(browser, email, NEXT_PASSWORD);
      await page.waitForURL((url) => url.pathname !== '/login');
    });
  });

  it('show a problem next to its field, and move the focus there', async () => {
    await inBrowser({ javaScript: true }, async (browser) => {
      const { page } = browser;
      await page.goto(at('/register'));
      await type(browser, anEmail(), 'all-lower-case');
      const alert = page.getByRole('alert');
      await alert.waitFor();
      expect(await alert.innerText()).toContain('a digit');
      expect(await page.title()).toMatch(/^Problem: Sign up/);
      expect(await page.evaluate('document.activeElement.id')).toBe('password');
      const description = await page.evaluate(
        "document.activeElement.getAttribute('aria-describedby').split(' ').map((id) => document.getElementById(id).textContent).join(' ')",
      );
      expect(description).toContain('a digit');
    });
  });

  it('check an alias while the user types it, and send no request for an empty one', async () => {
    await inBrowser({ javaScript: true }, async ({ page }) => {
      await page.goto(at('/'));
      await page.getByText('Options').click();
      const said = page.locator('#alias-check');
      expect(await said.isVisible()).toBe(false);
      for (const [alias, answer] of [
        ['ab', 'Too short'],
        ['stats', 'Reserved'],
        ['free-to-have', 'Available'],
      ] as const) {
        await page.getByLabel('Alias').fill(alias);
        await said.getByText(answer).waitFor();
      }
      await page.getByLabel('Alias').fill('');
      await said.waitFor({ state: 'hidden' });
    });
  });

  it('show hostile names as plain text', async () => {
    await inBrowser({ javaScript: true }, async (browser) => {
      const { page } = browser;
      await page.goto(at('/register'));
      expect(await page.locator('.providers a').last().innerText()).toBe(`Continue with ${SCRIPT}`);
      await page.getByLabel('Email address').fill(anEmail());
      await page.getByLabel('Password').fill('weak-weak');
      await page.getByLabel('Your name').fill(QUOTES);
      await page.getByRole('button', { name: 'Sign up' }).click();
      await page.getByRole('alert').waitFor();
      expect(await page.getByLabel('Your name').inputValue()).toBe(QUOTES);
      expect(await page.locator('img, script:not([src])').count()).toBe(0);
    });
  });

  it.each([360, 1280])(
    'are accessible in light and dark mode, fit the window and log no errors (%d pixels wide)',
    async (width) => {
      await inBrowser({ width, javaScript: true }, async (browser) => {
        const { page } = browser;
        const judge = async (name: string): Promise<void> => {
          const all = await accessibilityOf(page);
          expect([name, all.broken]).toEqual([name, []]);
          expect([name, all.kept > 15]).toEqual([name, true]);
          if (width === 1280) {
            await page.setViewportSize({ width: 768, height: 800 });
            expect([name, await overflowOf(page)]).toEqual([name, 0]);
            await page.setViewportSize({ width, height: 800 });
            await page.emulateMedia({ colorScheme: 'dark' });
            const { broken, kept } = await coloursOf(page);
            expect([name, broken]).toEqual([name, []]);
            expect([name, kept > 0]).toEqual([name, true]);
            await page.emulateMedia({ colorScheme: 'light' });
          }
          expect([name, await overflowOf(page)]).toEqual([name, 0]);
        };
        for (const path of ['/login', '/register', '/login/forgot-password']) {
          await page.goto(at(path));
          await judge(path);
        }
        await page.goto(at('/login?done=password-changed'));
        await judge('a sign-in after the reset');
        await type(browser, 'nobody@example.com', 'Wr0ng-Horse');
        await page.getByRole('alert').waitFor();
        await judge('a refused sign-in');
        await page.goto(at('/login/reset-password'));
        await type(browser, 'nobody@example.com', '123456', 'weak-weak');
        await page.getByRole('alert').waitFor();
        await judge('a refused reset');
        await page.goto(at('/register'));
        const email = `${'long-name-'.repeat(4)}${anEmail()}`;
        await type(browser, email, STRONG_PASSWORD);
        await page.waitForURL(at('/register/verify'));
        await judge('/register/verify');
        await type(browser, '12345x');
        await page.getByRole('alert').waitFor();
        await judge('a refused code');
        expect(await heading(browser)).toBe('Verify your email address');
        await page.goto(at('/'));
        await judge('home before the address is verified');
        await page.goto(at('/register/verify'));
        await type(browser, await newestCode(service, email));
        await page.waitForURL((url) => url.pathname !== '/register/verify');
        await page.goto(at('/'));
        await page.locator('.menu summary').click();
        await judge('the menu of the account');
        await page.locator('.menu summary').click();
        await page.getByText('Options').click();
        await page.getByLabel('Long address').fill('example.com/a');
        await page.getByLabel('Alias').fill('stats');
        await page.locator('#alias-check').getByText('Reserved').waitFor();
        await judge('home with options');
        await page.getByLabel('Alias').fill('');
        await page.getByRole('button', { name: 'Shorten', exact: true }).click();
        await page.getByRole('button', { name: 'Copy' }).waitFor();
        await judge('result');
        await page.goto(page.url().replace('/result/', '/stats/'));
        await judge('private statistics');
      });
    },
  );
});
