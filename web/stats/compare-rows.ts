export interface StatsRow {
  readonly label: string;
  readonly clicks: number;
  readonly visitors: number;
}

export interface ComparedRow {
  readonly label: string;
  readonly clicks: number;
  readonly visitors: number;
  readonly other: number;
  readonly otherVisitors: number;
}

export interface Compared {
  readonly rows: readonly ComparedRow[];
  /** Number of buckets by which the later series is shifted to align both starts. */
  readonly moved: { readonly which: 'first' | 'second'; readonly by: number } | null;
}

/**
 * Merges two series bucket by bucket.
 * @param together aligns both at their first click
 */
export function compareRows(
  first: readonly StatsRow[],
  second: readonly StatsRow[],
  together: boolean,
): Compared {
  const [byLabel, others] = [rowsByLabel(first), rowsByLabel(second)];
  const labels = [...new Set([...byLabel.keys(), ...others.keys()])].sort();
  const clicksOf = (rows: ReadonlyMap<string, StatsRow>): readonly number[] =>
    labels.map((label) => rows.get(label)?.clicks ?? 0);
  const [a, b] = [extentOf(clicksOf(byLabel)), extentOf(clicksOf(others))];
  const isMoved = together && a !== null && b !== null;
  const start = isMoved ? Math.min(a.from, b.from) : 0;
  const [moveA, moveB] = isMoved ? [a.from - start, b.from - start] : [0, 0];
  const end = isMoved ? Math.max(a.to - moveA, b.to - moveB) : labels.length - 1;
  const rows = labels.slice(start, end + 1).map((label, i) => {
    const row = byLabel.get(labels[start + i + moveA] ?? '');
    const other = others.get(labels[start + i + moveB] ?? '');
    return {
      label,
      clicks: row?.clicks ?? 0,
      visitors: row?.visitors ?? 0,
      other: other?.clicks ?? 0,
      otherVisitors: other?.visitors ?? 0,
    };
  });
  const by = Math.max(moveA, moveB);
  return { rows, moved: by === 0 ? null : { which: moveA > 0 ? 'first' : 'second', by } };
}

const rowsByLabel = (rows: readonly StatsRow[]): ReadonlyMap<string, StatsRow> =>
  new Map(rows.map((row) => [row.label, row]));

/** Returns the first and last bucket with a click; null if there is none. */
function extentOf(clicks: readonly number[]): { from: number; to: number } | null {
  const from = clicks.findIndex((value) => value > 0);
  return from < 0 ? null : { from, to: clicks.findLastIndex((value) => value > 0) };
}
