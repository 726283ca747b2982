import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BrowserContext, BrowserType, Page } from 'playwright-core';
import { eventually } from './shared/eventually';
import { anAddress } from './http';
import { type KeptProcess, keptProcess } from './kept-processes';
import { endAfterFile } from './left-running';
import { requireOutside } from './outside';
import { programPath } from './programs';

const FLAGS =
  '--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync --disable-extensions --disable-background-timer-throttling --disable-backgrounding-occluded-windows --disable-renderer-backgrounding --disable-ipc-flooding-protection --disable-dev-shm-usage --force-color-profile=srgb --hide-scrollbars --remote-debugging-port=0'.split(
    ' ',
  );

/** A new browser responds slowly on a busy machine. */
const START_MS = 100_000;

export const CHROMIUM = programPath(
  'chromium-headless-shell',
  'chromium',
  'chromium-browser',
  'google-chrome',
);

export const describeInBrowser = CHROMIUM === null ? describe.skip : describe;

export interface BrowserOptions {
  width?: number;
  dark?: boolean;
  javaScript?: boolean;
  timezone?: string;
  /** Time zone of the browser process, which only tests with the same zone share. */
  systemZone?: string;
}

export class Browser {
  /** Console errors: blocked styles, missing files. */
  readonly complaints: string[] = [];
  readonly origins = new Set<string>();

  private constructor(
    private readonly context: BrowserContext,
    private readonly disconnect: () => Promise<void>,
    readonly page: Page,
  ) {
    page.on('pageerror', (error) => this.complaints.push(error.message));
    page.on('console', (message) => {
      if (message.type() === 'error') this.complaints.push(message.text());
    });
    page.on('request', (request) => this.origins.add(new URL(request.url()).origin));
  }

  static async open(options: BrowserOptions = {}): Promise<Browser> {
    const { systemZone } = options;
    const name = systemZone === undefined ? 'chromium' : 'chromium-in-zone';
    // Every client of a browser follows all of its pages.
    const own = `${name}-${process.env.JEST_WORKER_ID ?? '1'}`;
    const { url } = await keptProcess(own, () => startChromium(systemZone));
    const { chromium } = requireOutside('playwright-core') as { chromium: BrowserType };
    const browser = await chromium.connectOverCDP(url, { timeout: START_MS });
    const context = await browser.newContext({
      javaScriptEnabled: options.javaScript ?? false,
      permissions: options.javaScript ? ['clipboard-read', 'clipboard-write'] : [],
      viewport: { width: options.width ?? 1100, height: 800 },
      colorScheme: options.dark ? 'dark' : 'light',
      // Each frame of an animation is drawn by the processor.
      reducedMotion: 'reduce',
      timezoneId: options.timezone,
      extraHTTPHeaders: { 'X-Forwarded-For': anAddress() },
    });
    context.setDefaultTimeout(120_000);
    const disconnect = () => browser.close();
    browser.once('disconnected', endAfterFile(disconnect));
    return new Browser(context, disconnect, await context.newPage());
  }

  async close(): Promise<void> {
    await this.context.close();
    await this.disconnect();
  }
}

async function startChromium(TZ = process.env.TZ): Promise<KeptProcess & { url: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'curtail-browser-'));
  const child = spawn(CHROMIUM ?? 'chromium', [...FLAGS, `--user-data-dir=${folder}`], {
    env: { ...process.env, TZ },
    stdio: 'ignore',
  });
  child.unref();
  const portFile = join(folder, 'DevToolsActivePort');
  await eventually('the browser listens', () => {
    return existsSync(portFile) && readFileSync(portFile, 'utf8').includes('\n');
  });
  const [port = '', path = ''] = readFileSync(portFile, 'utf8').split('\n');
  return { pid: child.pid ?? 0, folder, url: `ws://127.0.0.1:${port}${path}` };
}
