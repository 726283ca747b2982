import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';

const AXE = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

interface Accessibility {
  broken: string[];
  kept: number;
}

export function accessibilityOf(page: Page): Promise<Accessibility> {
  return examine(page, '');
}

/** Runs only axe-core's colour rules, for pages that differ only in colours. */
export function coloursOf(page: Page): Promise<Accessibility> {
  return examine(page, "runOnly: ['color-contrast', 'link-in-text-block'],");
}

async function examine(page: Page, rules: string): Promise<Accessibility> {
  // Not a script element: the pages' policy forbids inline scripts.
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(AXE);
  // Every rule runs; for passed rules, one element is enough.
  return page.evaluate(`axe.run({ ${rules} resultTypes: ['violations'] })
    .then(({ violations, passes }) => ({
      broken: violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html).join(' ')),
      kept: passes.length,
    }))`);
}

/** Horizontal overflow of a page in pixels. */
export function overflowOf(page: Page): Promise<number> {
  return page.evaluate('document.documentElement.scrollWidth - window.innerWidth');
}
