import type { components } from '../../dist/web-types/schema';

type LinkItem = components['schemas']['LinkItemResponse'];

export const MAX_SELECTED = 1000;

export interface Selection {
  readonly links: ReadonlyMap<string, LinkItem>;
  /** Row from which Shift extends the selection. */
  readonly anchor: string | null;
  readonly reasons: ReadonlyMap<string, string>;
}

export const NOTHING: Selection = { links: new Map(), anchor: null, reasons: new Map() };

export function selectionOf(
  links: readonly LinkItem[],
  reasons: ReadonlyMap<string, string> = new Map(),
): Selection {
  const chosen = links.slice(0, MAX_SELECTED);
  return { links: new Map(chosen.map((link) => [link.id, link])), anchor: null, reasons };
}

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
 * Returns the selection after a checkbox change. With Shift, all rows from the last changed row
 * get the same state.
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

export function shareOf({ links }: Selection, rows: readonly LinkItem[]): 'none' | 'some' | 'all' {
  const chosen = rows.filter(({ id }) => links.has(id)).length;
  if (chosen === 0) return 'none';
  return chosen === rows.length ? 'all' : 'some';
}
