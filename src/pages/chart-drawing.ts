import { formatCount, groupDigits } from './wording';

/** One row per bucket, the earliest first. */
export interface ChartSeries {
  readonly buckets: 'hourly' | 'daily' | 'weekly' | 'monthly';
  readonly rows: readonly ChartRow[];
}

interface ChartRow {
  readonly label: string;
  readonly clicks: number;
  /** Clicks one period earlier, for comparison. */
  readonly before?: number;
  /** Clicks in a second series, drawn as an adjacent column. */
  readonly other?: number;
  /** Why the bucket is incomplete. Incomplete buckets are drawn in another style. */
  readonly partial?: string;
}

/** An SVG element as plain data, from which pages create markup and the app creates elements. */
export interface Shape {
  readonly element: 'rect' | 'line' | 'text';
  readonly attributes: Readonly<Record<string, string>>;
  /** The element's text; for a `rect` over a column, the tooltip. */
  readonly text?: string;
}

interface ChartDrawing {
  /** Text alternative for screen readers. */
  readonly about: string;
  readonly scale: readonly Shape[];
  readonly plot: readonly Shape[];
  /** Number of column slots. Slots before `first` are empty. */
  readonly slots: number;
  readonly first: number;
}

export const STEP_NAMES = {
  hourly: 'hour',
  daily: 'day',
  weekly: 'week',
  monthly: 'month',
} as const;

/** With fewer columns, part of the chart is empty, so that columns stay narrow. */
const MIN_COLUMNS = { hourly: 24, daily: 7, weekly: 7, monthly: 7 } as const;
/** With more columns, a phone has no room for their numbers. */
const MAX_NUMBERED_COLUMNS = 8;
/** Hours in a day on which clocks are set back. */
const MAX_DAY_HOURS = 25;
/** Maximum number of labels. More labels would overlap on a phone. */
const MAX_LABELS = 4;
/** Positions in percent of the height, from the top. */
const [TOP, BOTTOM, LABELS] = [9, 88, 98];

/**
 * Draws clicks over time as columns, for server pages and the app. Colours are in the stylesheet,
 * because our policies forbid inline styles. Positions are percentages, so that text keeps its
 * size.
 */
export function chartDrawing({ buckets, rows }: ChartSeries): ChartDrawing {
  const most = rows.reduce(
    (largest, { clicks, before = 0, other = 0 }) => Math.max(largest, clicks, before, other),
    0,
  );
  const mostClicks = rows.reduce((largest, { clicks }) => Math.max(largest, clicks), 0);
  const { top, ticks } = scale(most);
  const names = bucketNames(buckets, rows);
  const slots = Math.max(rows.length, MIN_COLUMNS[buckets]);
  // Leaves space for a day's future hours on the right, otherwise for earlier columns on the left.
  const first = buckets === 'hourly' && isMidnight(rows[0]) ? 0 : slots - rows.length;
  return {
    about: `Clicks per ${STEP_NAMES[buckets]} from ${names[0] ?? ''} to ${names.at(-1) ?? ''}, at most ${groupDigits(mostClicks)}`,
    slots,
    first,
    scale: ticks.map((tick) =>
      textShape({ x: '100%', y: `${height(tick, top)}%`, dy: '0.35em' }, short(tick)),
    ),
    plot: [
      ...ticks.map((tick) => {
        const y = `${height(tick, top)}%`;
        return line({ x1: '0', x2: '100%', y1: y, y2: y });
      }),
      ...columns(buckets, rows, { slots, first, top, names }),
    ],
  };
}

/** Returns an axis from 0, with steps of 1, 2 or 5 times a power of ten. */
export function scale(most: number): { top: number; ticks: number[] } {
  const rough = Math.max(most, 1) / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const factor = [1, 2, 5, 10].find((each) => each * power >= rough) ?? 10;
  const step = Math.max(1, factor * power);
  const count = Math.ceil(Math.max(most, 1) / step);
  return { top: count * step, ticks: Array.from({ length: count + 1 }, (_, i) => i * step) };
}

function textShape(attributes: Shape['attributes'], content: string): Shape {
  return { element: 'text', attributes, text: content };
}

function line(attributes: Shape['attributes']): Shape {
  return { element: 'line', attributes };
}

function height(value: number, top: number): string {
  return (BOTTOM - (value / top) * (BOTTOM - TOP)).toFixed(2);
}

interface Layout extends Pick<ChartDrawing, 'slots' | 'first'> {
  readonly top: number;
  readonly names: readonly string[];
}

function columns(
  buckets: ChartSeries['buckets'],
  rows: readonly ChartRow[],
  { slots, first, top, names }: Layout,
): readonly Shape[] {
  const middle = (i: number): string => `${(((first + i + 0.5) / slots) * 100).toFixed(2)}%`;
  const hasNumbers = slots <= MAX_NUMBERED_COLUMNS;
  const shapes = rows.flatMap((row, i) => {
    const { clicks, before, other, partial } = row;
    const y = height(clicks, top);
    const x = ((first + i + 0.1) / slots) * 100;
    const width = (other === undefined ? 80 : 40) / slots;
    const drawn = [
      column(clicks, { x, width, top }, partial === undefined ? undefined : 'partial'),
    ];
    if (other !== undefined) {
      const name = partial === undefined ? 'other' : 'other partial';
      drawn.push(column(other, { x: x + width, width, top }, name));
    }
    if (before !== undefined) {
      const [from, to, level] = [
        (first + i + 0.1) / slots,
        (first + i + 0.9) / slots,
        height(before, top),
      ];
      drawn.push(
        line({
          class: 'before',
          x1: `${(from * 100).toFixed(2)}%`,
          x2: `${(to * 100).toFixed(2)}%`,
          y1: `${level}%`,
          y2: `${level}%`,
        }),
      );
    }
    if (hasNumbers && clicks > 0 && other === undefined) {
      drawn.push(
        textShape({ class: 'value', x: middle(i), y: `${y}%`, dy: '-0.35em' }, short(clicks)),
      );
    }
    // Covers the full height, so that the column is easy to hit with the pointer.
    const notes = [
      formatCount(clicks, 'click'),
      ...(before === undefined ? [] : [`before: ${groupDigits(before)}`]),
      ...(partial === undefined ? [] : [partial]),
    ];
    drawn.push({
      element: 'rect',
      attributes: {
        class: 'hit',
        x: `${(((first + i) / slots) * 100).toFixed(2)}%`,
        width: `${(100 / slots).toFixed(2)}%`,
        height: `${BOTTOM}%`,
      },
      text: `${names[i] ?? ''}: ${notes.join(', ')}`,
    });
    return drawn;
  });
  // The last of many columns is narrower than its label.
  const isEdge = (i: number): boolean => slots > MAX_NUMBERED_COLUMNS && first + i === slots - 1;
  const below = labels(buckets, rows, { slots, first }).map(([i, label]) =>
    isEdge(i)
      ? textShape({ class: 'end', x: '100%', y: `${LABELS}%` }, label)
      : textShape({ x: middle(i), y: `${LABELS}%` }, label),
  );
  return [...shapes, ...below];
}

function column(
  clicks: number,
  { x, width, top }: { x: number; width: number; top: number },
  name: string | undefined,
): Shape {
  const y = height(clicks, top);
  return {
    element: 'rect',
    attributes: {
      x: `${x.toFixed(2)}%`,
      y: `${y}%`,
      width: `${width.toFixed(2)}%`,
      height: `${(BOTTOM - Number(y)).toFixed(2)}%`,
      ...(name === undefined ? {} : { class: name }),
    },
  };
}

/** Returns labels by column: always one for the last column, or quarters of a day. */
function labels(
  buckets: ChartSeries['buckets'],
  rows: readonly ChartRow[],
  { slots, first }: Pick<ChartDrawing, 'slots' | 'first'>,
): (readonly [number, string])[] {
  if (buckets === 'hourly') {
    if (slots > MAX_DAY_HOURS) return midnights(rows);
    const quarters = [0, 6, 12, 18].filter((i) => i < slots).map((i) => i - first);
    return quarters.map((i) => [i, hourOf(rows[0], i)] as const);
  }
  const every = Math.ceil(slots / MAX_LABELS);
  return rows
    .map(
      ({ label }, i) =>
        [
          i,
          buckets === 'monthly' ? formatDay(`${label}-01`, MONTH) : formatDay(label, DAY),
        ] as const,
    )
    .filter(([i]) => (rows.length - 1 - i) % every === 0);
}

/** @param later hours after the row; negative for earlier hours */
function hourOf({ label }: ChartRow = { label: '', clicks: 0 }, later: number): string {
  const [hour = 0, minute = 0] = label.slice(11, 16).split(':').map(Number);
  const two = (value: number): string => String(value).padStart(2, '0');
  return `${two((hour + later + 24) % 24)}:${two(minute)}`;
}

const isMidnight = (row: ChartRow | undefined): boolean => row?.label.slice(11, 13) === '00';

/** `1.2K`, for places with little space. */
function short(count: number): string {
  return count.toLocaleString('en', { notation: 'compact', maximumFractionDigits: 1 });
}

function midnights(rows: readonly ChartRow[]): (readonly [number, string])[] {
  const found = rows.flatMap(({ label }, i) =>
    label.slice(11, 16) === '00:00' ? [[i, formatDay(label.slice(0, 10), DAY)] as const] : [],
  );
  const every = Math.ceil(found.length / MAX_LABELS);
  return found.filter((_, i) => i % every === 0);
}

const DAY = { day: 'numeric', month: 'short' } as const;
const MONTH = { month: 'short', year: 'numeric' } as const;
const FULL_DAY = { ...DAY, ...MONTH, weekday: 'short' } as const;

/** `21 Nov` or `Nov 2026`. */
function formatDay(day: string, parts: Intl.DateTimeFormatOptions): string {
  const date = new Date(`${day}T00:00:00Z`);
  return date.toLocaleDateString('en-GB', { ...parts, timeZone: 'UTC' });
}

/** Returns unique names such as `Sat, 21 Nov 2026` or `November 2026`. */
export function bucketNames(
  buckets: ChartSeries['buckets'],
  rows: readonly Pick<ChartRow, 'label'>[],
): string[] {
  if (buckets === 'monthly') {
    return rows.map(({ label }) => formatDay(`${label}-01`, { month: 'long', year: 'numeric' }));
  }
  if (buckets === 'weekly') {
    return rows.map(({ label }) => `Week of ${formatDay(label, { ...DAY, ...MONTH })}`);
  }
  if (buckets === 'daily') return rows.map(({ label }) => formatDay(label, FULL_DAY));
  const times = new Map<string, number>();
  for (const { label } of rows) {
    times.set(label.slice(0, 16), (times.get(label.slice(0, 16)) ?? 0) + 1);
  }
  return rows.map(({ label }) => {
    const time = `${formatDay(label.slice(0, 10), { ...DAY, ...MONTH })}, ${label.slice(11, 16)}`;
    // An hour occurs twice when clocks are set back.
    return times.get(label.slice(0, 16)) === 1 ? time : `${time} (UTC${label.slice(16)})`;
  });
}

/**
 * @param from first day of the range, `2026-11-21`; null if the range begins with the first row
 * @param isOpen whether the range ends now, so that the last bucket is incomplete
 */
export function withPartials<Row extends ChartRow>(
  buckets: ChartSeries['buckets'],
  rows: readonly Row[],
  { from, isOpen }: { from: string | null; isOpen: boolean },
): (Row & Pick<ChartRow, 'partial'>)[] {
  const isCut = (label: string): boolean =>
    (buckets === 'weekly' && label < (from ?? '')) ||
    (buckets === 'monthly' && `${label}-01` < (from ?? ''));
  return rows.map((row, i) => {
    if (isOpen && i === rows.length - 1) return { ...row, partial: 'so far' };
    const begins = i === 0 && isCut(row.label) && from !== null;
    return begins ? { ...row, partial: `from ${formatDay(from, DAY)} on` } : row;
  });
}
