import { readFileSync } from 'node:fs';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';

const AXE = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

/** How axe-core sees a page: the rules that it breaks and where, and how many it keeps. */
export async function accessibilityOf(page: Page): Promise<{ broken: string[]; kept: number }> {
  // Not as an element: the policy of the pages allows no inline script.
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(AXE);
  // Each rule is run; one element of those that keep it is enough to count it.
  const { violations, passes } = await page.evaluate<AxeResults>(
    "axe.run({ resultTypes: ['violations'] })",
  );
  const broken = violations.map(
    ({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`,
  );
  return { broken, kept: passes.length };
}

/** Pixels by which a page is wider than its window. */
export function overflowOf(page: Page): Promise<number> {
  return page.evaluate('document.documentElement.scrollWidth - window.innerWidth');
}
