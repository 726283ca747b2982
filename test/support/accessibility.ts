import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';

const AXE = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

interface Accessibility {
  broken: string[];
  kept: number;
}

/** How axe-core sees a page: the rules that it breaks and where, and how many it keeps. */
export function accessibilityOf(page: Page): Promise<Accessibility> {
  return examine(page, '');
}

/** The same of the rules of colours alone, where no more than the colours have changed. */
export function coloursOf(page: Page): Promise<Accessibility> {
  return examine(page, "runOnly: ['color-contrast', 'link-in-text-block'],");
}

async function examine(page: Page, rules: string): Promise<Accessibility> {
  // Not as an element: the policy of the pages allows no inline script.
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(AXE);
  // Each rule is run; one element of those that keep it is enough to count it.
  return page.evaluate(`axe.run({ ${rules} resultTypes: ['violations'] })
    .then(({ violations, passes }) => ({
      broken: violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html).join(' ')),
      kept: passes.length,
    }))`);
}

/** Pixels by which a page is wider than its window. */
export function overflowOf(page: Page): Promise<number> {
  return page.evaluate('document.documentElement.scrollWidth - window.innerWidth');
}
