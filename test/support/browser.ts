import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium, type BrowserContext, type Page } from 'playwright-core';
import { anAddress } from './http';

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const FLAGS =
  '--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync'.split(
    ' ',
  );

/** Where this machine has a Chromium, null when it has none. */
export const CHROMIUM = PLACES.find((path) => existsSync(path)) ?? null;

/** `describe` where there is a browser; elsewhere the tests are skipped and say so. */
export function describeInBrowser(title: string, tests: () => void): void {
  if (CHROMIUM !== null) {
    describe(title, tests);
    return;
  }
  process.stderr.write(`Skipped, as no Chromium is installed: ${title}\n`);
  describe.skip(title, tests);
}

/** The browser that pages are looked at with; without JavaScript unless a test asks for it. */
export interface BrowserOptions {
  width?: number;
  dark?: boolean;
  javaScript?: boolean;
  /** Else the zone of the system. */
  timezone?: string;
}

/** A headless browser from an address of its own. */
export class Browser {
  /** Complaints of pages: blocked styles, missing files. */
  readonly complaints: string[] = [];
  /** Origins that it has asked for anything. */
  readonly origins = new Set<string>();

  private constructor(
    private readonly context: BrowserContext,
    private readonly profile: string,
    readonly page: Page,
  ) {
    page.on('pageerror', (error) => this.complaints.push(error.message));
    page.on('console', (message) => {
      if (message.type() === 'error') this.complaints.push(message.text());
    });
    page.on('pageerror', (error) => this.complaints.push(String(error)));
    page.on('request', (request) => this.origins.add(new URL(request.url()).origin));
  }

  static async open(options: BrowserOptions = {}): Promise<Browser> {
    const profile = mkdtempSync(join(tmpdir(), 'curtail-browser-'));
    const context = await chromium.launchPersistentContext(profile, {
      executablePath: CHROMIUM ?? undefined,
      headless: true,
      args: FLAGS,
      javaScriptEnabled: options.javaScript ?? false,
      permissions: options.javaScript ? ['clipboard-read', 'clipboard-write'] : [],
      viewport: { width: options.width ?? 1100, height: 800 },
      colorScheme: options.dark ? 'dark' : 'light',
      timezoneId: options.timezone,
      extraHTTPHeaders: { 'X-Forwarded-For': anAddress() },
    });
    context.setDefaultTimeout(60_000);
    return new Browser(context, profile, await context.newPage());
  }

  async close(): Promise<void> {
    await this.context.close();
    rmSync(this.profile, { recursive: true, force: true });
  }
}
