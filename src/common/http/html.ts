const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Escapes text for element content and quoted attributes. */
function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}

/** Escaped markup; only created by `html`. */
export class Html {
  constructor(readonly markup: string) {}

  toString(): string {
    return this.markup;
  }
}

type Part = Html | string | number | null | undefined | false | readonly Part[];

/**
 * Escapes strings, keeps nested `html`, joins lists; null, undefined and false render nothing.
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

/** Direction marks and invisible characters, which make strings look alike. */
const DECEIVING = /[\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

/** Percent-encodes characters in user text that could disguise it. */
export function visibleText(text: string): string {
  return text.toWellFormed().replace(DECEIVING, (mark) => encodeURIComponent(mark));
}
