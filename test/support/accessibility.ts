import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';

const AXE = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

interface Accessibility {
  broken: string[];
  kept: number;
}

/**
 * Runs all axe-core rules, which takes a second or more, or only some of them.
 * @param except a selector of elements that are not examined
 */
export function accessibilityOf(
  page: Page,
  only: readonly string[] = [],
  except?: string,
): Promise<Accessibility> {
  return examine(page, only.length === 0 ? '' : `runOnly: ${JSON.stringify(only)},`, except);
}

/** Runs only axe-core's colour rules, for pages that differ only in colours. */
export function coloursOf(page: Page): Promise<Accessibility> {
  return accessibilityOf(page, ['color-contrast', 'link-in-text-block']);
}

async function examine(page: Page, rules: string, except?: string): Promise<Accessibility> {
  const context = except === undefined ? 'document' : JSON.stringify({ exclude: [except] });
  // Uses no script element, because the pages' policy forbids inline scripts.
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(AXE);
  // Waits for animations, because text that is fading in has too little contrast.
  await page.evaluate(`Promise.allSettled(document.getAnimations()
    .filter(({ effect }) => effect.getComputedTiming().endTime < Infinity)
    .map(({ finished }) => finished))`);
  // Reports one element per passed rule. Does not preload, since no style sheet is on another host.
  return page.evaluate(`axe.run(${context}, { ${rules} preload: false, resultTypes: ['violations'] })
    .then(({ violations, passes }) => ({
      broken: violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html).join(' ')),
      kept: passes.length,
    }))`);
}

/** A page's horizontal overflow in pixels. */
export function overflowOf(page: Page): Promise<number> {
  return page.evaluate('document.documentElement.scrollWidth - window.innerWidth');
}
