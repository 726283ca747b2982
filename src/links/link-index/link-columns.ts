import type { TagCounts } from './link-list';
import type { ListedLink } from './listed-link';
import {
  ROW_BITS,
  ROW_MASK,
  LIVE,
  type IdWords,
  type LinkTexts,
  RowBlock,
  codeUnitRank,
  type SortLine,
} from './row-block';
import { isEnd, searchedNote, searchedText } from './searched-texts';

export type SortColumn = 'createdAt' | 'expireAfter' | 'lastClick' | 'totalClicks';

const HIGHEST_WORD = 0xffff_ffff;

/** Maximum number of tag numbers, after which the links must be loaded again. */
const MAX_TAG_NUMBERS = 60_000;

/**
 * Stores links in numeric columns: about 130 bytes per link outside the JS heap, instead of 500 as
 * objects. A link keeps its row until its text changes. Rows are not reused.
 */
export class LinkColumns {
  readonly blocks: RowBlock[] = [];
  dead = 0;
  /** Numbers for all tags ever used, by tag id, and for imports, by source. */
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
    if (block?.hasRoomFor(texts.line.end) !== true) {
      block?.close();
      block = new RowBlock();
      this.blocks.push(block);
    }
    return firstRowInBlock(this.blocks.length - 1) + block.append(link, texts);
  }

  /** Updates the row in place if texts and tags are unchanged. Returns the link's row. */
  replace(row: number, link: ListedLink): number {
    const block = this.blockAt(row);
    if (block.hasTexts(row & ROW_MASK, this.toTexts(link))) {
      block.write(row & ROW_MASK, link);
      return row;
    }
    this.remove(row);
    const next = this.append(link);
    this.setImported(next, block.importedClicks.at(row & ROW_MASK));
    return next;
  }

  setImported(row: number, clicks: number): void {
    this.blockAt(row).importedClicks.set(row & ROW_MASK, clicks);
  }

  remove(row: number): void {
    this.blockAt(row).flags[row & ROW_MASK] = 0;
    this.dead++;
  }

  /** Returns whether the row equals the link, and if so updates the row's timestamp. */
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

  /** Whether the row includes the write with this timestamp. */
  isStamped(row: number, at: number): boolean {
    return this.blockAt(row).touchedAt[row & ROW_MASK] === at >>> 0;
  }

  /** By clicks, links are sorted by recorded and imported ones together (docs/contract.md#22.4). */
  value(column: SortColumn, row: number): number {
    const block = this.blockAt(row);
    const at = row & ROW_MASK;
    return column === 'totalClicks'
      ? (block.totalClicks[at] ?? 0) + block.importedClicks.at(at)
      : block[column].at(at);
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

  /**
   * Four bytes of a text and its terminator, which sort like the text: zero after them, and the
   * highest number for missing texts.
   */
  lineWord(line: SortLine, row: number, skip: number): number {
    const block = this.blockAt(row);
    const from = block.lineStart(row & ROW_MASK, line);
    if (isEnd(block.text[from])) return skip === 0 ? HIGHEST_WORD : 0;
    let word = 0;
    for (let at = from, hasEnded = false; at < from + skip + 4; at++) {
      const byte = hasEnded ? 0 : block.text[at];
      hasEnded ||= isEnd(byte);
      word = (word << 8) | codeUnitRank(byte);
    }
    return word >>> 0;
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

  countByTag(): Map<string, TagCounts> {
    const counts = new Uint32Array(this.tagNumbers.size);
    const clicks = new Float64Array(this.tagNumbers.size);
    for (const { flags, importedClicks, rows, tags, tagsFrom } of this.blocks) {
      for (let row = 0; row < rows; row++) {
        if (((flags[row] ?? 0) & LIVE) === 0) continue;
        const end = tagsFrom[row + 1] ?? 0;
        for (let i = tagsFrom[row] ?? 0; i < end; i++) {
          const number = tags[i] ?? 0;
          counts[number] = (counts[number] ?? 0) + 1;
          clicks[number] = (clicks[number] ?? 0) + importedClicks.at(row);
        }
      }
    }
    return new Map(
      Array.from(this.tagNumbers, ([id, number]) => [
        id,
        { links: counts[number] ?? 0, importedClicks: clicks[number] ?? 0 },
      ]),
    );
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
