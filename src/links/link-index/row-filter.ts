import {
  CLOSED_BY_LIMIT,
  INACTIVE,
  type LinkBlock,
  LIVE,
  MAX_CLICKS_SET,
  PASSWORD_SET,
} from './link-columns';
import type { LinkFilter, LinkFilterStatus, SearchWord } from './link-list';

type RowTest = (block: LinkBlock, row: number) => boolean;

/** A text to look for, as UTF-8. */
interface Needle {
  readonly bytes: Buffer;
  /** It begins with the line feed that ends the row before. */
  readonly isWholeLine: boolean;
}

/** The demands of a filter on every link: values, and words in its text. */
export interface LinkTests {
  readonly rows: readonly RowTest[];
  /** One needle of each word has to be found. */
  readonly words: readonly (readonly Needle[])[];
  /** Nothing can pass. */
  readonly nothing: boolean;
}

/** The tests of a filter; null when it narrows nothing. */
export function testsOf(filter: LinkFilter, now: number): LinkTests | null {
  const { status, createdAfter, createdBefore, passwordSet, maxClicksSet } = filter;
  const rows: RowTest[] = [];
  if (status !== undefined) rows.push(hasStatus(status, now));
  if (passwordSet !== undefined) rows.push(hasFlag(PASSWORD_SET, passwordSet));
  if (maxClicksSet !== undefined) rows.push(hasFlag(MAX_CLICKS_SET, maxClicksSet));
  if (createdAfter !== undefined) {
    rows.push(({ createdAt }, row) => (createdAt[row] ?? NaN) >= createdAfter);
  }
  if (createdBefore !== undefined) {
    rows.push(({ createdAt }, row) => (createdAt[row] ?? NaN) <= createdBefore);
  }
  const search = filter.search ?? [];
  if (rows.length === 0 && search.length === 0) return null;
  return {
    rows,
    words: search.map(needlesOf),
    // Half a character is in no text: what is stored are whole ones.
    nothing: status === 'BLOCKED' || search.some(({ part }) => /\p{Surrogate}/u.test(part)),
  };
}

/** Destinations have a colon, aliases none: no destination is taken for an alias. */
function needlesOf({ part, alias }: SearchWord): Needle[] {
  const anywhere = { bytes: Buffer.from(part), isWholeLine: false };
  if (alias === null) return [anywhere];
  return [anywhere, { bytes: Buffer.from(`\n${alias}\n`), isWholeLine: true }];
}

function hasStatus(status: LinkFilterStatus, now: number): RowTest {
  if (status === 'BLOCKED') return () => false;
  const has = ({ flags }: LinkBlock, row: number, wanted: number): boolean =>
    ((flags[row] ?? 0) & wanted) === wanted;
  const isOver = ({ expireAfter }: LinkBlock, row: number): boolean =>
    (expireAfter[row] ?? NaN) <= now;
  switch (status) {
    case 'EXPIRED':
      return (block, row) => isOver(block, row) || has(block, row, CLOSED_BY_LIMIT | INACTIVE);
    case 'INACTIVE':
      return (block, row) => isOver(block, row) || has(block, row, INACTIVE);
    case 'ACTIVE':
      return (block, row) => !isOver(block, row) && !has(block, row, INACTIVE);
  }
}

function hasFlag(flag: number, wanted: boolean): RowTest {
  return ({ flags }, row) => (((flags[row] ?? 0) & flag) !== 0) === wanted;
}

/** Sets `passed` to 1 for each row of a part of the block that passes; answers how many do. */
export function markPassing(
  { rows, words }: LinkTests,
  block: LinkBlock,
  { from, end }: { from: number; end: number },
  passed: Uint8Array,
): number {
  let count = 0;
  const judge = (row: number): void => {
    if (((block.flags[row] ?? 0) & LIVE) === 0) return;
    for (const passes of rows) if (!passes(block, row)) return;
    passed[row] = 1;
    count++;
  };
  if (words.length === 0) for (let row = from; row < end; row++) judge(row);
  else forEachHolding(words, block, { from, end }, judge);
  return count;
}

/** The rows whose text holds all words: each search moves on to where the others have got. */
function forEachHolding(
  words: LinkTests['words'],
  block: LinkBlock,
  { from, end }: { from: number; end: number },
  found: (row: number) => void,
): void {
  const searches = words.map((needles) => needles.map((each) => new RowSearch(each, block, end)));
  let row = from;
  while (row < end) {
    const begun = row;
    for (const needles of searches) {
      const from = row;
      row = needles.reduce((nearest, needle) => Math.min(nearest, needle.next(from)), end);
      if (row >= end) return;
    }
    if (row === begun) found(row++);
  }
}

/**
 * The rows that hold a text, one after the other, by one search through the texts of all: native
 * code, which goes over a gigabyte a second.
 */
class RowSearch {
  private readonly text: Buffer;
  private row = -1;

  constructor(
    private readonly needle: Needle,
    private readonly block: LinkBlock,
    private readonly end: number,
  ) {
    this.text = block.text.subarray(0, block.textFrom[end]);
  }

  /** The first such row that is not before this one; the end where there is none. */
  next(from: number): number {
    if (this.row < from) this.row = this.find(from);
    return this.row;
  }

  private find(from: number): number {
    const { bytes, isWholeLine } = this.needle;
    const { textFrom } = this.block;
    const start = textFrom[from] ?? 0;
    if (!isWholeLine) return this.rowAt(this.text.indexOf(bytes, start), from);
    // No line feed comes before the first row.
    if (from === 0 && this.text.subarray(0, bytes.length - 1).equals(bytes.subarray(1))) return 0;
    const at = this.text.indexOf(bytes, Math.max(start - 1, 0));
    return this.rowAt(at === -1 ? -1 : at + 1, from);
  }

  private rowAt(at: number, from: number): number {
    return at === -1 ? this.end : rowAt(this.block.textFrom, at, from, this.end);
  }
}

/** The row whose text this place is in: by growing steps from the last one, then by halves. */
function rowAt(textFrom: Uint32Array, at: number, from: number, rows: number): number {
  let low = from;
  let step = 1;
  while (low + step < rows && (textFrom[low + step] ?? 0) <= at) {
    low += step;
    step *= 2;
  }
  let high = Math.min(low + step, rows);
  while (high - low > 1) {
    const middle = (low + high) >>> 1;
    if ((textFrom[middle] ?? 0) <= at) low = middle;
    else high = middle;
  }
  return low;
}
