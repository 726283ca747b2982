import type { components } from '../../dist/web-types/schema';

type LinkItem = components['schemas']['LinkItemResponse'];

/** More links than this are not selected at once. */
export const MAX_SELECTED = 1000;

/** Links that are chosen in the list, in the order in which they were. */
export interface Selection {
  readonly links: ReadonlyMap<string, LinkItem>;
  /** Row from which shift extends. */
  readonly anchor: string | null;
  /** Why the last action did nothing with some of them. */
  readonly reasons: ReadonlyMap<string, string>;
}

export const NOTHING: Selection = { links: new Map(), anchor: null, reasons: new Map() };

/** Exactly these. */
export function selectionOf(
  links: readonly LinkItem[],
  reasons: ReadonlyMap<string, string> = new Map(),
): Selection {
  const chosen = links.slice(0, MAX_SELECTED);
  return { links: new Map(chosen.map((link) => [link.id, link])), anchor: null, reasons };
}

/** The selection with these added to it, or taken away from it. */
export function withLinks(
  { links, anchor, reasons }: Selection,
  changed: readonly LinkItem[],
  isChosen: boolean,
): Selection {
  const [chosen, why] = [new Map(links), new Map(reasons)];
  for (const link of changed) {
    if (!isChosen) chosen.delete(link.id);
    else if (chosen.size < MAX_SELECTED) chosen.set(link.id, link);
    if (!isChosen) why.delete(link.id);
  }
  return { links: chosen, anchor, reasons: why };
}

/**
 * The selection after the checkbox of a row was changed: with shift all rows from the one before it
 * up to this one become what this one becomes.
 */
export function toggled(
  selection: Selection,
  rows: readonly LinkItem[],
  id: string,
  { isChosen, extendsRange }: { isChosen: boolean; extendsRange: boolean },
): Selection {
  const at = rows.findIndex((row) => row.id === id);
  const from = extendsRange ? rows.findIndex((row) => row.id === selection.anchor) : -1;
  const [first, last] = from < 0 ? [at, at] : [Math.min(at, from), Math.max(at, from)];
  const changed = rows.slice(first, last + 1);
  return { ...withLinks(selection, changed, isChosen), anchor: id };
}

/** How much of a page is chosen. */
export function shareOf({ links }: Selection, rows: readonly LinkItem[]): 'none' | 'some' | 'all' {
  const chosen = rows.filter(({ id }) => links.has(id)).length;
  if (chosen === 0) return 'none';
  return chosen === rows.length ? 'all' : 'some';
}
