import type { Utf8Text } from '../../infrastructure/mongo/bson-fields';
import { type ListedLink, NO_EXPIRY } from './listed-link';
import { NoteColumn } from './note-column';
import { isOnDomain, LINE_FEED } from './searched-texts';
import { TimeColumn } from './time-column';

export const ROW_BITS = 14;

/** Maximum number of rows; a block with long texts is closed earlier. */
const BLOCK_ROWS = 1 << ROW_BITS;

export const ROW_MASK = BLOCK_ROWS - 1;

const BLOCK_TEXT_BYTES = 2 * 1024 * 1024;

const FIRST_ROWS = 16;

const FIRST_TEXT_BYTES = 1024;

const FIRST_TAGS = 16;

const DIGIT_NINE = 57;

/** Flag bits in a row; a row without LIVE is deleted. */
export const LIVE = 1;

export const INACTIVE = 2;

export const CLOSED_BY_LIMIT = 4;

export const ELSEWHERE = 8;

export const BLOCKED = 16;

/** The 24 hex digits in an id as three numbers, which sort like the ids. */
export type IdWords = readonly [number, number, number];

export function wordsOfId(id: string): IdWords {
  return [wordOfId(id, 0), wordOfId(id, 8), wordOfId(id, 16)];
}

/** Faster than `parseInt`. */
function wordOfId(id: string, from: number): number {
  let word = 0;
  for (let i = from; i < from + 8; i++) {
    const code = id.charCodeAt(i);
    word = (word << 4) | ((code <= DIGIT_NINE ? code : code + 9) & 0xf);
  }
  return word >>> 0;
}

const TIMES = ['createdAt', 'lastClick', 'expireAfter', 'startsAt'] as const;

export interface LinkTexts {
  readonly line: Utf8Text;
  readonly note: Utf8Text;
  /** Numbers for the link's tags and import. */
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
  readonly importedClicks = new TimeColumn(FIRST_ROWS, 0);
  /** Low 32 bits of the timestamp, which repeat every seven weeks. */
  touchedAt = new Uint32Array(FIRST_ROWS);
  flags = new Uint16Array(FIRST_ROWS);
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
      this.importedClicks.byteLength +
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

  append(link: ListedLink, { line, note, tags }: LinkTexts): number {
    const row = this.rows;
    if (row === this.flags.length) this.widen();
    const from = this.textEnd;
    const end = from + line.end;
    if (end > this.text.length) this.lengthenText(end);
    line.bytes.copy(this.text, from, 0, line.end);
    const tagsFrom = this.tagsFrom[row] ?? 0;
    const tagsEnd = tagsFrom + tags.length;
    if (tagsEnd > this.tags.length) {
      this.tags = wider(this.tags, new Uint16Array(Math.ceil(tagsEnd * 1.5)));
    }
    for (let i = 0; i < tags.length; i++) this.tags[tagsFrom + i] = tags[i] ?? 0;
    this.notes.append(row, note);
    this.noteHashes[row] = hashNote(note);
    const { id } = link;
    for (let i = 0; i < 3; i++) {
      this.ids[row * 3 + i] = typeof id === 'string' ? wordOfId(id, i * 8) : id.word(i);
    }
    this.rows++;
    this.textFrom[this.rows] = end;
    this.tagsFrom[this.rows] = tagsEnd;
    this.write(row, link);
    return row;
  }

  /** Writes everything except id, text and tags. */
  write(row: number, link: ListedLink): void {
    this.createdAt.set(row, link.createdAt);
    this.lastClick.set(row, link.lastClick);
    this.expireAfter.set(row, link.expireAfter);
    this.startsAt.set(row, link.startsAt);
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
      this.text.compare(line.bytes, 0, line.end, from, end) === 0 &&
      this.noteHashes[row] === hashNote(note) &&
      (this.tagsFrom[row + 1] ?? 0) - tagsFrom === tags.length &&
      tags.every((tag, i) => this.tags[tagsFrom + i] === tag)
    );
  }

  /** Releases spare capacity. No rows can be added afterwards. */
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
    this.importedClicks.widen(rows);
    this.flags = wider(this.flags, new Uint16Array(rows));
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
    link.present |
    (isOnDomain(link.alias) ? ELSEWHERE : 0)
  );
}

/** FNV-1a. Two notes have the same hash with a probability of one in four billion. */
function hashNote({ bytes, end }: Utf8Text): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < end; i++) hash = Math.imul(hash ^ (bytes[i] ?? 0), 0x01000193);
  return hash >>> 0;
}

/** Maps UTF-8 lead bytes to UTF-16 order, where U+10000 (0xf0) comes before U+E000 (0xee, 0xef). */
export function codeUnitRank(byte: number | undefined = 0): number {
  return byte === 0xee || byte === 0xef ? byte + 16 : byte;
}

export type SortLine = 'alias' | 'title';
