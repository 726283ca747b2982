import type { Logger } from '../../common/log';
import type { ClicksStored, ClicksStoredListener } from '../clicks-stored';
import { PlainLog } from '../../infrastructure/logging/plain-log';
import { decodeChunk, encodeColumns } from '../../engines/click-engine/chunk/chunk';
import { mergeChunks } from '../../engines/click-engine/chunk/merge-chunks';
import { HOUR_MS } from '../../common/time';
import { boundTypedValues } from '../store/typed-values';
import type {
  BlockRef,
  CompactableClickStore,
  CompactionRepository,
} from './compaction.repository';

/** No block grows beyond these; a full block is never written again. */
export const BLOCK_CLICKS = 250_000;
export const BLOCK_BYTES = 8 * 1000 * 1000;
/** A block joins the merge when it is at most so many times what is merged already. */
const GROWTH = 2;

export interface Sized {
  n: number;
  bytes: number;
}

/**
 * Chooses the blocks that are merged with inline chunks of the given size (maybe none): from the smallest
 * on, as long as each is no more than twice what has been gathered. Sizes of the blocks left behind then grow
 * threefold from one to the next, so a link has few blocks and a click is rewritten a logarithmic
 * number of times.
 */
export function blocksToMerge<B extends Sized>(inline: Sized, blocks: readonly B[]): B[] {
  const chosen: B[] = [];
  let { n, bytes } = inline;
  for (const block of [...blocks].sort((a, b) => a.n - b.n)) {
    if (n > 0 && block.n > n * GROWTH) break;
    if (n + block.n > BLOCK_CLICKS || bytes + block.bytes > BLOCK_BYTES) break;
    chosen.push(block);
    n += block.n;
    bytes += block.bytes;
  }
  return chosen;
}

/**
 * Deletes blocks that no click store names: what a crash between two steps of compaction leaves
 * behind. Only blocks that are older than an hour and were unnamed an hour ago as well, since a
 * batch that is repeated late names its blocks late.
 */
export class OrphanedBlocks {
  private sweptAt = Date.now();
  private unnamed: ReadonlySet<string> = new Set();

  constructor(
    private readonly repository: CompactionRepository,
    private readonly log: Logger,
  ) {}

  async sweepHourly(now = Date.now()): Promise<void> {
    if (now - this.sweptAt >= HOUR_MS) await this.sweep(now);
  }

  /** One round; answers how many blocks were deleted. */
  async sweep(now: number): Promise<number> {
    this.sweptAt = now;
    const unnamed = await this.repository.leftovers(new Date(now - HOUR_MS));
    const lasting = [...unnamed].filter((id) => this.unnamed.has(id));
    this.unnamed = unnamed;
    if (lasting.length > 0) {
      await this.repository.remove(lasting);
      this.log.info('Blocks that no store names were deleted', { count: lasting.length });
    }
    return lasting.length;
  }
}

/** Readers that hold an older store find the blocks it names for so long. */
const GRACE_MS = 60_000;
const MAX_COMPACTION_ATTEMPTS = 3;

/**
 * Keeps stores small: merges the inline chunks and small blocks of a link into bigger immutable
 * blocks. The new block is stored first, then one conditional update names it in place of the
 * old ones, which are deleted later. Totals and applied batches never change here.
 */
export class CompactionService implements ClicksStoredListener {
  readonly name = 'compaction';
  private readonly timers = new Set<NodeJS.Timeout>();
  private readonly leftovers: OrphanedBlocks;

  constructor(
    private readonly repository: CompactionRepository,
    private readonly log: Logger = new PlainLog(),
    private readonly graceMs = GRACE_MS,
  ) {
    this.leftovers = new OrphanedBlocks(repository, log);
  }

  /** A batch whose event is missed leaves its links to a later one. */
  onClicksStored({ links }: ClicksStored, signal: AbortSignal): Promise<void> {
    return this.afterBatch([...links.keys()], signal);
  }

  /**
   * Compacts those of the links that have grown too large. One that cannot be compacted now is
   * logged and left for a later batch: its clicks are recorded either way.
   */
  async afterBatch(linkIds: readonly string[], signal?: AbortSignal): Promise<void> {
    try {
      for (const linkId of await this.repository.overgrown(linkIds)) {
        if (signal?.aborted) return;
        await this.attempt(linkId);
      }
      await this.leftovers.sweepHourly();
    } catch (error) {
      this.log.warn('Compaction is put off', { err: error });
    }
  }

  /**
   * Merges the inline chunks and small blocks of one link, whatever their size. True unless other
   * writers kept winning.
   */
  async compact(linkId: string): Promise<boolean> {
    for (let attempt = 0; attempt < MAX_COMPACTION_ATTEMPTS; attempt += 1) {
      const store = await this.repository.read(linkId);
      if (store === null) return true;
      if (await this.merge(store)) return true;
    }
    return false;
  }

  /** Forgets the deletions that are due; the hourly sweep makes up for them. */
  stop(): void {
    for (const timer of this.timers) clearTimeout(timer);
    this.timers.clear();
  }

  private async attempt(linkId: string): Promise<void> {
    try {
      await this.compact(linkId);
    } catch (error) {
      this.log.error('A link cannot be compacted', { linkId, err: error });
    }
  }

  private async merge(store: CompactableClickStore): Promise<boolean> {
    const inline = {
      n: store.inlineChunks.reduce((sum, { n }) => sum + n, 0),
      bytes: store.inlineBytes,
    };
    const replaced = blocksToMerge(inline, store.blocks);
    const chunks = replaced.length + store.inlineChunks.length;
    if (chunks === 0 || (chunks === 1 && store.inlineChunks.length === 0)) return true;
    const stored = await this.repository.blocks(replaced.map(({ id }) => id));
    // A block that is gone was replaced by another recorder: the click store read is an old one.
    if (stored.size < replaced.length) return false;
    const parts = [
      ...replaced.map(({ id, n }) => decodeChunk(stored.get(id) ?? new Uint8Array(), n)),
      ...store.inlineChunks.map(({ n, data }) => decodeChunk(data, n)),
    ];
    const merged = boundTypedValues(mergeChunks(parts));
    const data = encodeColumns(merged);
    const added = await this.repository.add({ linkId: store.linkId, ...merged, data });
    const kept = store.blocks.filter((block) => !replaced.includes(block));
    const swapped = await this.repository.swap(store, [...kept, added]);
    if (swapped) this.removeLater(replaced);
    else await this.repository.remove([added.id]);
    return swapped;
  }

  private removeLater(blocks: readonly BlockRef[]): void {
    if (blocks.length === 0) return;
    const timer = setTimeout(() => {
      this.timers.delete(timer);
      this.repository
        .remove(blocks.map(({ id }) => id))
        .catch((error: unknown) => this.log.warn('Replaced blocks stay for now', { err: error }));
    }, this.graceMs);
    timer.unref();
    this.timers.add(timer);
  }
}
