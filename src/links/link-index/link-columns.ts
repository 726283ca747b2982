import { composed } from '../../common/plain-text';
import { placeOfKey } from '../../stores/links/alias-form';
import { type ListedLink, NO_EXPIRY } from './listed-link';
import { NoteColumn } from './note-column';
import { TimeColumn } from './time-column';

const ROW_BITS = 14;
/** Upper bound: a block with long texts is closed earlier. */
const BLOCK_ROWS = 1 << ROW_BITS;
const ROW_MASK = BLOCK_ROWS - 1;
const BLOCK_TEXT_BYTES = 2 * 1024 * 1024;
const FIRST_ROWS = 16;
const FIRST_TEXT_BYTES = 1024;
const FIRST_TAGS = 16;
const LINE_FEED = 10;
const TAB = 9;

/** Flag bits of a row; a row without LIVE is deleted. */
export const LIVE = 1;
export const INACTIVE = 2;
export const CLOSED_BY_LIMIT = 4;
export const PASSWORD_SET = 8;
export const MAX_CLICKS_SET = 16;
export const ELSEWHERE = 32;
export const BLOCKED = 64;

/** 24 hex digits as three numbers, in the same order as the ids. */
export type IdWords = readonly [number, number, number];

export function wordsOfId(id: string): IdWords {
  return [0, 8, 16].map((from) => parseInt(id.slice(from, from + 8), 16)) as unknown as IdWords;
}

const TIMES = ['createdAt', 'lastClick', 'expireAfter', 'startsAt'] as const;

interface LinkTexts {
  readonly line: Buffer;
  readonly note: string;
  /** Numbers of its tags and its import. */
  readonly tags: readonly number[];
}

/** A few thousand rows stored by column, with their texts concatenated. */
export class RowBlock {
  rows = 0;
  ids = new Uint32Array(FIRST_ROWS * 3);
  readonly createdAt = new TimeColumn(FIRST_ROWS);
  readonly lastClick = new TimeColumn(FIRST_ROWS);
  readonly expireAfter = new TimeColumn(FIRST_ROWS, NO_EXPIRY);
  readonly startsAt = new TimeColumn(FIRST_ROWS);
  totalClicks = new Float64Array(FIRST_ROWS);
  /** Low 32 bits only: they repeat after seven weeks, to the millisecond. */
  touchedAt = new Uint32Array(FIRST_ROWS);
  flags = new Uint8Array(FIRST_ROWS);
  /** Start of each row's text, plus one entry for the end. */
  textFrom = new Uint32Array(FIRST_ROWS + 1);
  text = Buffer.allocUnsafeSlow(FIRST_TEXT_BYTES);
  tagsFrom = new Uint32Array(FIRST_ROWS + 1);
  tags = new Uint16Array(FIRST_TAGS);
  readonly notes = new NoteColumn();
  noteHashes = new Uint32Array(FIRST_ROWS);

  get bytes(): number {
    return (
      this.text.byteLength +
      this.ids.byteLength +
      TIMES.reduce((sum, name) => sum + this[name].byteLength, 0) +
      this.totalClicks.byteLength +
      this.flags.byteLength +
      this.textFrom.byteLength +
      this.tagsFrom.byteLength +
      this.tags.byteLength +
      this.touchedAt.byteLength +
      this.noteHashes.byteLength +
      this.notes.bytes
    );
  }

  get textEnd(): number {
    return this.textFrom[this.rows] ?? 0;
  }

  hasRoomFor(textBytes: number): boolean {
    if (this.rows === 0) return true;
    return this.rows < BLOCK_ROWS && this.textEnd + textBytes <= BLOCK_TEXT_BYTES;
  }

  append(link: ListedLink, { line: text, note, tags }: LinkTexts): number {
    const row = this.rows;
    if (row === this.flags.length) this.widen();
    const from = this.textEnd;
    const end = from + text.length;
    if (end > this.text.length) this.lengthenText(end);
    text.copy(this.text, from);
    const tagsFrom = this.tagsFrom[row] ?? 0;
    const tagsEnd = tagsFrom + tags.length;
    if (tagsEnd > this.tags.length) {
      this.tags = wider(this.tags, new Uint16Array(Math.ceil(tagsEnd * 1.5)));
    }
    this.tags.set(tags, tagsFrom);
    this.notes.append(row, note);
    this.noteHashes[row] = hashNote(note);
    this.ids.set(wordsOfId(link.id), row * 3);
    this.rows++;
    this.textFrom[this.rows] = end;
    this.tagsFrom[this.rows] = tagsEnd;
    this.write(row, link);
    return row;
  }

  /** Writes everything except id, text and tags. */
  write(row: number, link: ListedLink): void {
    for (const column of TIMES) this[column].set(row, link[column]);
    this.totalClicks[row] = link.totalClicks;
    this.touchedAt[row] = link.touchedAt;
    this.flags[row] = toFlags(link);
  }

  holds(row: number, link: ListedLink): boolean {
    if (this.flags[row] !== toFlags(link)) return false;
    if (this.totalClicks[row] !== link.totalClicks) return false;
    return TIMES.every((name) => this[name].at(row) === link[name]);
  }

  hasTexts(row: number, { line, note, tags }: LinkTexts): boolean {
    const [from, end] = [this.textFrom[row] ?? 0, this.textFrom[row + 1] ?? 0];
    const tagsFrom = this.tagsFrom[row] ?? 0;
    return (
      this.text.compare(line, 0, line.length, from, end) === 0 &&
      this.noteHashes[row] === hashNote(note) &&
      (this.tagsFrom[row + 1] ?? 0) - tagsFrom === tags.length &&
      tags.every((tag, i) => this.tags[tagsFrom + i] === tag)
    );
  }

  /** Releases spare capacity; no rows may follow. */
  close(): void {
    this.text = Buffer.concat([this.text.subarray(0, this.textEnd)]);
    this.tags = this.tags.slice(0, this.tagsFrom[this.rows]);
    this.notes.pack();
  }

  lineStart(row: number, line: SortLine): number {
    let at = this.textFrom[row] ?? 0;
    if (line === 'title') while (this.text[at++] !== LINE_FEED);
    return at;
  }

  linkId(row: number): string {
    let id = '';
    for (let i = row * 3; i < row * 3 + 3; i++) {
      id += (this.ids[i] ?? 0).toString(16).padStart(8, '0');
    }
    return id;
  }

  private widen(): void {
    const rows = Math.min(this.flags.length * 2, BLOCK_ROWS);
    this.ids = wider(this.ids, new Uint32Array(rows * 3));
    for (const column of TIMES) this[column].widen(rows);
    this.totalClicks = wider(this.totalClicks, new Float64Array(rows));
    this.flags = wider(this.flags, new Uint8Array(rows));
    this.touchedAt = wider(this.touchedAt, new Uint32Array(rows));
    this.noteHashes = wider(this.noteHashes, new Uint32Array(rows));
    this.textFrom = wider(this.textFrom, new Uint32Array(rows + 1));
    this.tagsFrom = wider(this.tagsFrom, new Uint32Array(rows + 1));
  }

  private lengthenText(atLeast: number): void {
    const longer = Buffer.allocUnsafeSlow(Math.max(atLeast, Math.ceil(this.text.length * 1.5)));
    this.text.copy(longer, 0, 0, this.textEnd);
    this.text = longer;
  }
}

type Column = Float64Array | Uint32Array | Uint16Array | Uint8Array;

function wider<T extends Column>(narrow: T, wide: T): T {
  wide.set(narrow);
  return wide;
}

function toFlags(link: ListedLink): number {
  return (
    LIVE |
    (link.status === 'INACTIVE' ? INACTIVE : 0) |
    (link.closedByLimit ? CLOSED_BY_LIMIT : 0) |
    (link.blocked ? BLOCKED : 0) |
    (link.passwordSet ? PASSWORD_SET : 0) |
    (link.maxClicksSet ? MAX_CLICKS_SET : 0) |
    (placeOfKey(link.alias).domainId === null ? 0 : ELSEWHERE)
  );
}

export type SortColumn = 'createdAt' | 'expireAfter' | 'lastClick' | 'totalClicks';
export type SortLine = 'alias' | 'title';

/** Beyond this, the account's links must be read again. */
const MAX_TAG_NUMBERS = 60_000;

/**
 * Numeric columns: about 130 bytes per link outside the JS heap, where objects took 500. A link
 * keeps its row until its text changes; rows are not reused.
 */
export class LinkColumns {
  readonly blocks: RowBlock[] = [];
  dead = 0;
  /** Numbers of all tags ever used, by id, and of imports, by source. */
  private readonly tagNumbers = new Map<string, number>();

  get bytes(): number {
    return this.blocks.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /** One more than the highest row; some rows below may be unused. */
  get rowsEnd(): number {
    const last = this.blocks.at(-1);
    return last === undefined ? 0 : firstRowInBlock(this.blocks.length - 1) + last.rows;
  }

  get hasManyTags(): boolean {
    return this.tagNumbers.size > MAX_TAG_NUMBERS;
  }

  append(link: ListedLink): number {
    const texts = this.toTexts(link);
    let block = this.blocks.at(-1);
    if (block?.hasRoomFor(texts.line.length) !== true) {
      block?.close();
      block = new RowBlock();
      this.blocks.push(block);
    }
    return firstRowInBlock(this.blocks.length - 1) + block.append(link, texts);
  }

  /** Updates the row in place if texts and tags are unchanged; returns the link's row. */
  replace(row: number, link: ListedLink): number {
    const block = this.blockAt(row);
    if (block.hasTexts(row & ROW_MASK, this.toTexts(link))) {
      block.write(row & ROW_MASK, link);
      return row;
    }
    this.remove(row);
    return this.append(link);
  }

  remove(row: number): void {
    this.blockAt(row).flags[row & ROW_MASK] = 0;
    this.dead++;
  }

  /** Whether the row equals the link; if so, updates its timestamp. */
  refresh(row: number, link: ListedLink): boolean {
    const block = this.blockAt(row);
    const at = row & ROW_MASK;
    if (!block.holds(at, link) || !block.hasTexts(at, this.toTexts(link))) return false;
    block.touchedAt[at] = link.touchedAt;
    return true;
  }

  linkId(row: number): string {
    return this.blockAt(row).linkId(row & ROW_MASK);
  }

  /** Whether the row includes the write of that time. */
  isStamped(row: number, at: number): boolean {
    return this.blockAt(row).touchedAt[row & ROW_MASK] === at >>> 0;
  }

  value(column: SortColumn, row: number): number {
    const block = this.blockAt(row);
    const at = row & ROW_MASK;
    return column === 'totalClicks' ? (block.totalClicks[at] ?? 0) : block[column].at(at);
  }

  idWord(row: number, word: number): number {
    return this.blockAt(row).ids[(row & ROW_MASK) * 3 + word] ?? 0;
  }

  compareId(row: number, words: IdWords): number {
    const { ids } = this.blockAt(row);
    const at = (row & ROW_MASK) * 3;
    for (let i = 0; i < 3; i++) {
      const difference = (ids[at + i] ?? 0) - (words[i] ?? 0);
      if (difference !== 0) return difference;
    }
    return 0;
  }

  /** Compares by code unit; empty text sorts last. */
  compareLines(line: SortLine, firstRow: number, secondRow: number): number {
    const [a, b] = [this.blockAt(firstRow), this.blockAt(secondRow)];
    let i = a.lineStart(firstRow & ROW_MASK, line);
    let j = b.lineStart(secondRow & ROW_MASK, line);
    const isMissing = isEnd(a.text[i]);
    if (isMissing !== isEnd(b.text[j])) return isMissing ? 1 : -1;
    while (a.text[i] === b.text[j] && !isEnd(a.text[i])) {
      i++;
      j++;
    }
    return codeUnitRank(a.text[i]) - codeUnitRank(b.text[j]);
  }

  hasLine(line: SortLine, row: number): boolean {
    const block = this.blockAt(row);
    return !isEnd(block.text[block.lineStart(row & ROW_MASK, line)]);
  }

  tagNumber(id: string): number | undefined {
    return this.tagNumbers.get(id);
  }

  tagMarks(ids: Iterable<string>): Uint8Array {
    const marks = new Uint8Array(this.tagNumbers.size);
    for (const id of ids) {
      const number = this.tagNumbers.get(id);
      if (number !== undefined) marks[number] = 1;
    }
    return marks;
  }

  matchingSources(kindOrImport: string): string[] {
    return [...this.tagNumbers.keys()].filter((name) => {
      return name.startsWith(`${kindOrImport}/`) || name.endsWith(`/${kindOrImport}`);
    });
  }

  countByTag(): Map<string, number> {
    const counts = new Uint32Array(this.tagNumbers.size);
    for (const { flags, rows, tags, tagsFrom } of this.blocks) {
      for (let row = 0; row < rows; row++) {
        if (((flags[row] ?? 0) & LIVE) === 0) continue;
        const end = tagsFrom[row + 1] ?? 0;
        for (let i = tagsFrom[row] ?? 0; i < end; i++) {
          const number = tags[i] ?? 0;
          counts[number] = (counts[number] ?? 0) + 1;
        }
      }
    }
    return new Map(Array.from(this.tagNumbers, ([id, number]) => [id, counts[number] ?? 0]));
  }

  private assignTagNumbers({ tags, source }: ListedLink): number[] {
    const names = source === '' ? tags : [...tags, source];
    return names.map((id) => {
      const known = this.tagNumbers.get(id);
      if (known !== undefined) return known;
      this.tagNumbers.set(id, this.tagNumbers.size);
      return this.tagNumbers.size - 1;
    });
  }

  private toTexts(link: ListedLink): LinkTexts {
    return {
      line: searchedText(link),
      note: searchedNote(link),
      tags: this.assignTagNumbers(link),
    };
  }

  private blockAt(row: number): RowBlock {
    const block = this.blocks[row >>> ROW_BITS];
    if (block === undefined) throw new RangeError(`There is no row ${row}`);
    return block;
  }
}

export function firstRowInBlock(block: number): number {
  return block << ROW_BITS;
}

/**
 * Each part ends with a character that no part contains, so no match spans two parts. Only the
 * alias is a whole line; the other parts end with tabs. Adds the NFC title if it differs.
 */
function searchedText({ alias: key, longUrl, title }: ListedLink): Buffer {
  const lower = title.toLowerCase();
  const composedTitle = folded(title);
  const composedPart = composedTitle === lower ? '' : `${composedTitle}\t`;
  return Buffer.from(`${lineOfKey(key)}\n${lower}\t${composedPart}${folded(longUrl)}\n`);
}

/** The alias, then a tab and the domain id in capitals, which no search word contains. */
function lineOfKey(key: string): string {
  const { domainId, alias } = placeOfKey(key);
  return domainId === null ? folded(alias) : `${folded(alias)}\t${domainId.toUpperCase()}`;
}

function searchedNote({ note }: ListedLink): string {
  return folded(note).replace(/\s+/g, ' ');
}

/** FNV-1a: misses one change of a note in four billion. */
function hashNote(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}

function folded(text: string): string {
  return composed(text).toLowerCase();
}

function isEnd(byte: number | undefined): boolean {
  return byte === TAB || byte === LINE_FEED;
}

/** UTF-16 order puts U+10000 and above (lead bytes from 0xf0) before U+E000 (0xee, 0xef). */
function codeUnitRank(byte: number | undefined = 0): number {
  return byte === 0xee || byte === 0xef ? byte + 16 : byte;
}
