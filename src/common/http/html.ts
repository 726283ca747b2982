const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Text made safe for HTML element content and quoted attributes. */
function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}

/** Markup that is safe to put into a page as it is; made by `html` alone. */
export class Html {
  constructor(readonly markup: string) {}

  toString(): string {
    return this.markup;
  }
}

type Part = Html | string | number | null | undefined | false | readonly Part[];

/**
 * Template tag for pages: every interpolated string is escaped, nested `html` is kept, lists are
 * joined, null, undefined and false leave nothing.
 *
 * @example html`<p>${userText}</p>`
 */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return new Html(strings.reduce((text, piece, i) => text + render(parts[i - 1]) + piece));
}

function render(part: Part): string {
  if (part === null || part === undefined || part === false) return '';
  if (part instanceof Html) return part.markup;
  if (typeof part === 'object') return part.map(render).join('');
  return escapeHtml(String(part));
}

/** Marks that steer the direction of text, or that nobody sees: they make one text look like another. */
const DECEIVING = /[\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

/**
 * Text that others typed, as a page shows it: characters that could disguise it are
 * percent-encoded, so that what is read is what is there.
 */
export function visibleText(text: string): string {
  return text.toWellFormed().replace(DECEIVING, (mark) => encodeURIComponent(mark));
}
