import type { components } from '../../../dist/web-types/schema';
import { bare } from '../../format';
import { texts } from '../../texts';
import { words } from './texts';

export type Import = components['schemas']['ImportResponse'];
export type Column = components['schemas']['ImportColumnResponse'];

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

/** A sync after the undo creates links again. */
export const isUndone = ({ undo, undoable }: Import): boolean =>
  undo?.state === 'done' && undoable === 0;

/** Estimates a service's remaining time from the speed so far; null while it is unknown. */
export function minutesLeft(
  { progress, started_at, base_url }: Import,
  now: number,
): number | null {
  const { done, total } = progress;
  if (base_url === null || started_at === null || total === null || done === 0) return null;
  const passed = Math.max(0, now / 60_000 - started_at / 60);
  return done >= total ? null : Math.max(1, Math.round((passed * (total - done)) / done));
}

export function stateOf(one: Import): string {
  const { state, dry_run: isCheck } = one;
  if (isUndone(one) && state === 'done') return words.states.undone;
  if (state === 'running') return isCheck ? words.states.checking : words.states.importing;
  if (state === 'done') return isCheck ? words.states.checked : words.states.done;
  return words.states[state];
}

/** Options of a run in the form's format, with tags separated by commas. */
export type RunOptions = Readonly<
  Record<'on_conflict' | 'on_existing' | 'history' | 'protected' | 'timezone' | 'tags', string>
>;

export function runOptionsOf({ options }: Import): RunOptions {
  const { on_conflict, on_existing, history, protected: rule, timezone, tags } = options;
  return { on_conflict, on_existing, history, protected: rule, timezone, tags: tags.join(', ') };
}

/** A date or time as spreadsheets and databases write it, without an offset. */
const NAIVE_TIME = /^\d{4}[-/]\d\d[-/]\d\d(?:[ T]\d{1,2}:\d\d(?::\d\d(?:[.,]\d+)?)?)?$/;

/** Returns the options that make a difference to the rows found by the check. */
export function neededOptions(one: Import): ReadonlySet<keyof RunOptions> {
  const { counts, history, columns, source } = one;
  const has = (...verdicts: string[]): boolean => verdicts.some((word) => (counts[word] ?? 0) > 0);
  const lacksZone = columns.some(({ examples }) =>
    examples.some((text) => NAIVE_TIME.test(text.trim())),
  );
  const needed: Readonly<Record<keyof RunOptions, boolean>> = {
    on_conflict: has('alias_taken', 'renamed'),
    on_existing: has('unchanged', 'updated'),
    history: history.clicks + history.counted_clicks > 0,
    protected: has('protected_inactive', 'protected_skipped'),
    // Kutt's MySQL dumps contain the server's local time. Other dumps and all APIs use UTC.
    timezone: lacksZone || source === 'kutt_sql',
    tags: true,
  };
  return new Set((Object.keys(needed) as (keyof RunOptions)[]).filter((option) => needed[option]));
}

/** Returns the number of links that a run with these options writes, at most. */
export function plannedBy({ counts }: Import, options: RunOptions): number {
  const sum = (...verdicts: string[]): number =>
    verdicts.reduce((rows, word) => rows + (counts[word] ?? 0), 0);
  return (
    sum('created') +
    (options.on_conflict === 'rename' ? sum('renamed', 'alias_taken') : 0) +
    (options.on_existing === 'update' ? sum('updated', 'unchanged') : 0) +
    (options.protected === 'inactive' ? sum('protected_inactive', 'protected_skipped') : 0)
  );
}

/** Whether a run could write a link, with the right options. */
export const leavesRows = (one: Import): boolean =>
  plannedBy(one, {
    ...runOptionsOf(one),
    on_conflict: 'rename',
    on_existing: 'update',
    protected: 'inactive',
  }) > 0;
