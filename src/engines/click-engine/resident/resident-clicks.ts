import type { ClickStoreState, InlineChunks } from '../query/chunk-source';
import { type HeldChunks, inlineKey, type KeyedChunks } from '../reading/click-reader';
import { BlockGoneError } from '../chunk/engine.errors';
import type { ReadSelection, SourceFigures } from '../reading/segment-reader';
import type { HeldLinks } from './held-links';

const ENTRY_OVERHEAD = 4000;

type InlineFigures = Omit<InlineChunks, 'data'>;

const NO_INLINE_FIGURES: InlineFigures = { n: [], from: [], to: [] };

/** Describes a link's or account's clicks that the shards hold, with figures per source. */
export class ResidentClicks implements HeldChunks {
  private numbers = new Map<string, number>();
  private figures: SourceFigures[] = [];
  private linkNumbers: number[] = [];
  /** Figures for loaded inline chunks by source, in chunk order. */
  private inline = new Map<number, InlineFigures>();
  private inlineChunks = 0;
  /** Store states whose first inline chunks are known to equal the loaded chunks. */
  private readonly continued = new WeakSet<ClickStoreState>();
  readonly bytesByShard: number[];
  /** Null unless all of an account's clicks are cached; then queries read only later changes. */
  heldLinks: HeldLinks | null = null;
  private sum: SourceFigures | null = null;

  constructor(
    readonly id: number,
    readonly selection: ReadSelection,
    shards: number,
  ) {
    this.bytesByShard = Array.from({ length: shards }, () => 0);
  }

  get bytes(): number {
    return this.bytesByShard.reduce(
      (sum, bytes) => sum + bytes,
      ENTRY_OVERHEAD +
        this.figures.length * 200 +
        this.inlineChunks * 32 +
        (this.heldLinks?.bytes ?? 0),
    );
  }

  hasBlock(id: string): boolean {
    return this.numbers.has(id);
  }

  /** @throws BlockGoneError if a repair has replaced loaded chunks */
  countInlineChunks(store: ClickStoreState): number {
    if (!this.continues(store)) throw new BlockGoneError();
    return this.inlineRead(store).n.length;
  }

  /** Whether a repair has replaced one of the stores, so that all clicks must be read again. */
  isOutdated(stores: readonly ClickStoreState[]): boolean {
    return stores.some((store) => !this.continues(store));
  }

  /** Compares each state only once, because few links change between two queries. */
  private continues(store: ClickStoreState): boolean {
    if (this.continued.has(store)) return true;
    if (!isBeginning(this.inlineRead(store), store)) return false;
    this.continued.add(store);
    return true;
  }

  private inlineRead(store: ClickStoreState): InlineFigures {
    const number = this.numbers.get(inlineKey(store) ?? '');
    return (number === undefined ? undefined : this.inline.get(number)) ?? NO_INLINE_FIGURES;
  }

  covers({ at, redirectMs, values }: ReadSelection): boolean {
    const own = new Set(this.selection.values);
    if ((at && !this.selection.at) || (redirectMs && !this.selection.redirectMs)) return false;
    return values.every((name) => own.has(name));
  }

  /** Returns the known number if inline chunks were appended, otherwise a new number. */
  number({ key, isInline }: KeyedChunks, linkNumber: number): number {
    const known = this.numbers.get(key);
    if (known !== undefined) return known;
    const number = this.linkNumbers.push(linkNumber) - 1;
    this.numbers.set(key, number);
    if (isInline) this.inline.set(number, { n: [], from: [], to: [] });
    return number;
  }

  /** Forgets sources from which no chunk had been read when reading stopped. */
  forgetUnread(): void {
    for (const [key, number] of this.numbers) {
      if (this.figures[number] !== undefined) continue;
      this.numbers.delete(key);
      this.inline.delete(number);
    }
  }

  /** Adds a chunk's figures. Call in chunk order. */
  note(figures: SourceFigures): void {
    const { source, n, from, to } = figures;
    const inline = this.inline.get(source);
    if (inline !== undefined) {
      inline.n.push(n);
      inline.from.push(from);
      inline.to.push(to);
      this.inlineChunks += 1;
    }
    const known = this.figures[source];
    this.figures[source] = known === undefined ? figures : added(known, figures);
    this.sum = this.sum === null ? figures : added(this.sum, figures);
  }

  /**
   * Flags each source to be kept with 1 and numbers these sources without gaps; null if all sources
   * are current.
   *
   * @param requested 1 for each link number whose current keys are known; null if all are known
   */
  replaced(
    current: ReadonlySet<string>,
    requested: Uint8Array | null,
  ): { kept: Uint8Array; numbers: Uint32Array } | null {
    const kept = Uint8Array.from(this.linkNumbers, (link) => (requested?.[link] === 0 ? 1 : 0));
    for (const [key, number] of this.numbers) if (current.has(key)) kept[number] = 1;
    if (!kept.includes(0)) return null;
    const numbers = new Uint32Array(kept.length);
    let next = 0;
    kept.forEach((flag, number) => {
      numbers[number] = next;
      next += flag;
    });
    return { kept, numbers };
  }

  keep({ kept, numbers }: { kept: Uint8Array; numbers: Uint32Array }): void {
    this.numbers = new Map(
      [...this.numbers].flatMap(([key, number]) =>
        kept[number] === 1 ? [[key, numbers[number] ?? 0] as const] : [],
      ),
    );
    this.inline = new Map(
      [...this.inline].flatMap(([number, chunks]) =>
        kept[number] === 1 ? [[numbers[number] ?? 0, chunks] as const] : [],
      ),
    );
    this.figures = this.figures.filter((_, number) => kept[number] === 1);
    this.linkNumbers = this.linkNumbers.filter((_, number) => kept[number] === 1);
    this.sumUp();
  }

  private sumUp(): void {
    this.inlineChunks = [...this.inline.values()].reduce((sum, { n }) => sum + n.length, 0);
    this.sum = this.figures.reduce<SourceFigures | null>(
      (sum, figures) => (sum === null ? figures : added(sum, figures)),
      null,
    );
  }

  get links(): Uint32Array {
    return Uint32Array.from(this.linkNumbers);
  }

  get total(): Omit<SourceFigures, 'source'> | null {
    return this.sum;
  }
}

function isBeginning(chunks: InlineFigures, { inlineChunks: stored }: ClickStoreState): boolean {
  return chunks.n.every(
    (n, at) =>
      stored.n[at] === n && stored.from[at] === chunks.from[at] && stored.to[at] === chunks.to[at],
  );
}

function added(first: SourceFigures, second: SourceFigures): SourceFigures {
  return {
    source: first.source,
    n: first.n + second.n,
    from: Math.min(first.from, second.from),
    to: Math.max(first.to, second.to),
    redirectMs: first.redirectMs + second.redirectMs,
    untimed: first.untimed + second.untimed,
    last: second.to > first.to ? second.last : first.last,
  };
}
