import { bare } from '../../format';
import { texts } from '../../texts';
import { words } from './texts';
import type { Import } from './upload';

/** Verdicts of rows that create or change a link. */
const WRITTEN: readonly string[] = ['created', 'renamed', 'protected_inactive', 'updated'];
const UNFINISHED: readonly string[] = ['queued', 'running', 'waiting'];

export const isWritten = (verdict: string): boolean => WRITTEN.includes(verdict);

export const isUnfinished = ({ state }: Pick<Import, 'state'>): boolean =>
  UNFINISHED.includes(state);

export const isUndoing = ({ undo }: Import): boolean => undo !== null && isUnfinished(undo);

/** Returns the number of links that the import has created or will create. */
export function writtenBy({ counts }: Import): number {
  return WRITTEN.reduce((sum, verdict) => sum + (counts[verdict] ?? 0), 0);
}

/** Returns the number of skipped or rejected rows, without unchanged links. */
export function leftOutBy(one: Import): number {
  const all = Object.values(one.counts).reduce((sum, rows) => sum + rows, 0);
  return all - writtenBy(one) - (one.counts.unchanged ?? 0);
}

/** Returns the file name, or the service's address without the scheme. */
export const originOf = ({ file, base_url }: Import): string =>
  file?.name ?? bare(base_url ?? '').replace(/\/$/, '');

const clock = new Intl.DateTimeFormat(texts.locale, { hour: '2-digit', minute: '2-digit' });

/** @param at Unix seconds, within about a day */
export const clockTime = (at: number): string => clock.format(new Date(at * 1000));

export function stateOf({ state, dry_run: isCheck }: Import): string {
  if (state === 'running') return isCheck ? words.states.checking : words.states.importing;
  if (state === 'done') return isCheck ? words.states.checked : words.states.done;
  return words.states[state];
}
