import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import { texts } from '../texts';
import { Icon, type IconName } from './icons';

export interface RowsProps<T> {
  readonly rows: readonly T[];
  readonly change: (rows: readonly T[]) => void;
  readonly blank: T;
  readonly max: number;
  readonly min?: number;
  readonly addLabel: string;
  readonly removeLabel?: string;
  readonly isOrdered?: boolean;
  /** A row's title; none by default. */
  readonly titleOf?: (row: T, place: number) => string;
  readonly children: (
    row: T,
    change: (changes: Partial<T>) => void,
    place: number,
  ) => ComponentChildren;
}

/** Form rows that users can add, remove and reorder. The focus follows a moved row. */
export function Rows<T>(props: RowsProps<T>) {
  const { rows, change, blank, max, min = 0, addLabel, isOrdered = false, titleOf } = props;
  const whole = useRef<HTMLDivElement>(null);
  /** Focuses the first match, after rendering. */
  const focus = (...selectors: readonly string[]): void => {
    setTimeout(() => {
      const found = selectors.map((each) => whole.current?.querySelector<HTMLElement>(each));
      found.find((element) => element != null)?.focus();
    });
  };
  const rowAt = (place: number, rest: string): string =>
    `:scope > ol > li:nth-child(${place + 1}) ${rest}`;
  const move = (from: number, by: 1 | -1): void => {
    const next = [...rows];
    const [row] = next.splice(from, 1);
    if (row === undefined) return;
    next.splice(from + by, 0, row);
    change(next);
    const button = by < 0 ? 'up' : 'down';
    focus(
      rowAt(from + by, `> .row-head > [data-do="${button}"]:enabled`),
      rowAt(from + by, '> .row-head > [data-do]:enabled'),
    );
  };
  const remove = (place: number): void => {
    change(rows.filter((_, i) => i !== place));
    focus(
      rowAt(Math.min(place, rows.length - 2), '> .row-head > [data-do="remove"]'),
      ':scope > [data-do="add"]',
    );
  };
  const add = (): void => {
    change([...rows, blank]);
    focus(rowAt(rows.length, ':is(input, select)'));
  };
  const t = texts.rows;
  const button = (what: string, icon: IconName, label: string, isOff: boolean, act: () => void) => (
    <button
      type="button"
      class="plain icon-only"
      data-do={what}
      aria-label={label}
      title={label}
      disabled={isOff}
      onClick={act}
    >
      <Icon name={icon} />
    </button>
  );
  return (
    <div class="form-rows" ref={whole}>
      {rows.length > 0 && (
        <ol>
          {rows.map((row, i) => (
            <li key={i}>
              <div class="row-head">
                {titleOf !== undefined && <strong>{titleOf(row, i)}</strong>}
                {isOrdered && button('up', 'up', t.up, i === 0, () => move(i, -1))}
                {isOrdered &&
                  button('down', 'down', t.down, i === rows.length - 1, () => move(i, 1))}
                {rows.length > min &&
                  button('remove', 'trash', props.removeLabel ?? t.remove, false, () => remove(i))}
              </div>
              {props.children(
                row,
                (changes) =>
                  change(rows.map((each, at) => (at === i ? { ...each, ...changes } : each))),
                i,
              )}
            </li>
          ))}
        </ol>
      )}
      {rows.length < max && (
        <button type="button" class="quiet small" data-do="add" onClick={add}>
          <Icon name="plus" /> {addLabel}
        </button>
      )}
    </div>
  );
}
