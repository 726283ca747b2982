import { type ListedLink, NEVER } from './listed-link';

const ROW_BITS = 14;
/** Rows of a block, as far as they are used; a block whose texts are long is closed earlier. */
const BLOCK_ROWS = 1 << ROW_BITS;
const ROW_MASK = BLOCK_ROWS - 1;
const BLOCK_TEXT_BYTES = 2 * 1024 * 1024;
const FIRST_ROWS = 16;
const FIRST_TEXT_BYTES = 1024;

/** Bits of a row's flags; a row without LIVE is no link's any more. */
export const LIVE = 1;
export const INACTIVE = 2;
export const CLOSED_BY_LIMIT = 4;
export const PASSWORD_SET = 8;
export const MAX_CLICKS_SET = 16;

/** The words of an id: 24 hex digits as three numbers that are ordered as the id is. */
export type IdWords = readonly [number, number, number];

export function wordsOfId(id: string): IdWords {
  return [0, 8, 16].map((from) => parseInt(id.slice(from, from + 8), 16)) as unknown as IdWords;
}

const NUMBERS = ['createdAt', 'lastClick', 'totalClicks', 'expireAfter', 'touchedAt'] as const;

/** Some thousand rows, column by column, and their texts one behind the other. */
export class LinkBlock {
  rows = 0;
  /** Three words a row. */
  ids = new Uint32Array(FIRST_ROWS * 3);
  createdAt = new Float64Array(FIRST_ROWS);
  lastClick = new Float64Array(FIRST_ROWS);
  totalClicks = new Float64Array(FIRST_ROWS);
  expireAfter = new Float64Array(FIRST_ROWS);
  touchedAt = new Float64Array(FIRST_ROWS);
  flags = new Uint8Array(FIRST_ROWS);
  /** Where a row's text begins; one entry more than there are rows. */
  textFrom = new Uint32Array(FIRST_ROWS + 1);
  text = Buffer.allocUnsafeSlow(FIRST_TEXT_BYTES);

  get bytes(): number {
    return (
      this.text.byteLength +
      this.ids.byteLength +
      NUMBERS.length * this.createdAt.byteLength +
      this.flags.byteLength +
      this.textFrom.byteLength
    );
  }

  get textEnd(): number {
    return this.textFrom[this.rows] ?? 0;
  }

  hasRoomFor(textBytes: number): boolean {
    if (this.rows === 0) return true;
    return this.rows < BLOCK_ROWS && this.textEnd + textBytes <= BLOCK_TEXT_BYTES;
  }

  append(link: ListedLink, text: Buffer): number {
    const row = this.rows;
    if (row === this.flags.length) this.widen();
    const from = this.textEnd;
    const end = from + text.length;
    if (end > this.text.length) this.lengthenText(end);
    text.copy(this.text, from);
    this.ids.set(wordsOfId(link.id), row * 3);
    this.rows++;
    this.textFrom[this.rows] = end;
    this.write(row, link);
    return row;
  }

  /** Everything of a link but its id and text. */
  write(row: number, link: ListedLink): void {
    for (const column of NUMBERS) this[column][row] = link[column];
    this.flags[row] = flagsOf(link);
  }

  holds(row: number, link: ListedLink): boolean {
    if (this.flags[row] !== flagsOf(link)) return false;
    return NUMBERS.every((name) => name === 'touchedAt' || this[name][row] === link[name]);
  }

  hasText(row: number, text: Buffer): boolean {
    const from = this.textFrom[row] ?? 0;
    return this.text.compare(text, 0, text.length, from, this.textFrom[row + 1] ?? 0) === 0;
  }

  idOf(row: number): string {
    let id = '';
    for (let i = row * 3; i < row * 3 + 3; i++) {
      id += (this.ids[i] ?? 0).toString(16).padStart(8, '0');
    }
    return id;
  }

  private widen(): void {
    const rows = Math.min(this.flags.length * 2, BLOCK_ROWS);
    this.ids = wider(this.ids, new Uint32Array(rows * 3));
    for (const column of NUMBERS) this[column] = wider(this[column], new Float64Array(rows));
    this.flags = wider(this.flags, new Uint8Array(rows));
    this.textFrom = wider(this.textFrom, new Uint32Array(rows + 1));
  }

  private lengthenText(atLeast: number): void {
    const longer = Buffer.allocUnsafeSlow(Math.max(atLeast, Math.ceil(this.text.length * 1.5)));
    this.text.copy(longer, 0, 0, this.textEnd);
    this.text = longer;
  }
}

type Column = Float64Array | Uint32Array | Uint8Array;

function wider<T extends Column>(narrow: T, wide: T): T {
  wide.set(narrow);
  return wide;
}

function flagsOf(link: ListedLink): number {
  return (
    LIVE |
    (link.status === 'INACTIVE' ? INACTIVE : 0) |
    (link.closedByLimit ? CLOSED_BY_LIMIT : 0) |
    (link.passwordSet ? PASSWORD_SET : 0) |
    (link.maxClicksSet ? MAX_CLICKS_SET : 0)
  );
}

/** The columns that lists sort by. */
export type SortColumn = 'createdAt' | 'lastClick' | 'totalClicks';

/**
 * An account's links as columns of plain numbers: some 130 bytes a link beside the garbage
 * collector, where objects took 500 within its reach. A link is known by its row, which it keeps
 * until its text changes; rows are not used again.
 */
export class LinkColumns {
  readonly blocks: LinkBlock[] = [];
  /** Rows that are no link's any more. */
  dead = 0;

  get bytes(): number {
    return this.blocks.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /** One more than the highest row; some below it may be unused. */
  get rowsEnd(): number {
    const last = this.blocks.at(-1);
    return last === undefined ? 0 : firstRowOf(this.blocks.length - 1) + last.rows;
  }

  append(link: ListedLink): number {
    const text = searchedText(link);
    let block = this.blocks.at(-1);
    if (block?.hasRoomFor(text.length) !== true) {
      block = new LinkBlock();
      this.blocks.push(block);
    }
    return firstRowOf(this.blocks.length - 1) + block.append(link, text);
  }

  /** Takes a link's new values, in its row where its text is as it was; returns the row. */
  replace(row: number, link: ListedLink): number {
    const block = this.blockOf(row);
    if (block.hasText(row & ROW_MASK, searchedText(link))) {
      block.write(row & ROW_MASK, link);
      return row;
    }
    this.remove(row);
    return this.append(link);
  }

  remove(row: number): void {
    this.blockOf(row).flags[row & ROW_MASK] = 0;
    this.dead++;
  }

  /** Whether the row is the link as a list shows, sorts and finds it; notes its stamp then. */
  refresh(row: number, link: ListedLink): boolean {
    const block = this.blockOf(row);
    const at = row & ROW_MASK;
    if (!block.holds(at, link) || !block.hasText(at, searchedText(link))) return false;
    block.touchedAt[at] = link.touchedAt;
    return true;
  }

  idOf(row: number): string {
    return this.blockOf(row).idOf(row & ROW_MASK);
  }

  touchedAt(row: number): number {
    return this.blockOf(row).touchedAt[row & ROW_MASK] ?? NEVER;
  }

  value(column: SortColumn, row: number): number {
    return this.blockOf(row)[column][row & ROW_MASK] ?? NEVER;
  }

  idWord(row: number, word: number): number {
    return this.blockOf(row).ids[(row & ROW_MASK) * 3 + word] ?? 0;
  }

  /** Below, at or above zero as the row's id is below, the same or above. */
  compareId(row: number, words: IdWords): number {
    const { ids } = this.blockOf(row);
    const at = (row & ROW_MASK) * 3;
    for (let i = 0; i < 3; i++) {
      const difference = (ids[at + i] ?? 0) - (words[i] ?? 0);
      if (difference !== 0) return difference;
    }
    return 0;
  }

  private blockOf(row: number): LinkBlock {
    const block = this.blocks[row >>> ROW_BITS];
    if (block === undefined) throw new RangeError(`There is no row ${row}`);
    return block;
  }
}

export function firstRowOf(block: number): number {
  return block << ROW_BITS;
}

/** The lower-case text that is searched, a line each, so that nothing is found across two. */
function searchedText({ alias, longUrl }: ListedLink): Buffer {
  return Buffer.from(`${alias}\n${longUrl}\n`.toLowerCase());
}
