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

/** Maximum block size; full blocks are never rewritten. */
export const BLOCK_CLICKS = 250_000;
export const BLOCK_BYTES = 8 * 1000 * 1000;
/** Blocks up to this multiple of the data merged so far are merged. */
const GROWTH = 2;

export interface Sized {
  n: number;
  bytes: number;
}

/**
 * Merges the smallest blocks, while each is at most twice as large as the data merged so far. The
 * sizes of the blocks then grow exponentially, so there are few blocks and few rewrites per click.
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
 * Deletes blocks only after an hour without a reference, because a repeated batch may reference
 * them late.
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

  /** Returns the number of deleted blocks. */
  async sweep(now: number): Promise<number> {
    this.sweptAt = now;
    const unnamed = await this.repository.leftovers(new Date(now - HOUR_MS));
    const lasting = [...unnamed].filter((id) => this.unnamed.has(id));
    this.unnamed = unnamed;
    if (lasting.length > 0) {
      await this.repository.remove(lasting);
      this.log.info('Deleted click blocks that belong to no click store', {
        count: lasting.length,
      });
    }
    return lasting.length;
  }
}

/** Time for which replaced blocks are kept, because readers may still use the previous store. */
const GRACE_MS = 60_000;
const MAX_COMPACTION_ATTEMPTS = 3;

/** Stores the merged block, replaces all references in one update, and deletes blocks later. */
export class CompactionService implements ClicksStoredListener {
  readonly name = 'compaction';
  private readonly leftovers: OrphanedBlocks;

  constructor(
    private readonly repository: CompactionRepository,
    private readonly log: Logger = new PlainLog(),
    private readonly graceMs = GRACE_MS,
  ) {
    this.leftovers = new OrphanedBlocks(repository, log);
  }

  /** Links whose event is lost are compacted after a later batch. */
  onClicksStored({ links }: ClicksStored, signal: AbortSignal): Promise<void> {
    return this.afterBatch([...links.keys()], signal);
  }

  /** Compacts links that exceed the limits. Logs failures, which a later batch retries. */
  async afterBatch(linkIds: readonly string[], signal?: AbortSignal): Promise<void> {
    try {
      for (const linkId of await this.repository.overgrown(linkIds)) {
        if (signal?.aborted) return;
        await this.attempt(linkId);
      }
      await this.leftovers.sweepHourly();
    } catch (error) {
      this.log.warn('Could not compact stored clicks; retrying after a later batch', {
        err: error,
      });
    }
  }

  /** Merges regardless of size. Returns false if the store kept changing concurrently. */
  async compact(linkId: string): Promise<boolean> {
    for (let attempt = 0; attempt < MAX_COMPACTION_ATTEMPTS; attempt += 1) {
      const store = await this.repository.read(linkId);
      if (store === null) return true;
      if (await this.merge(store)) return true;
    }
    return false;
  }

  private async attempt(linkId: string): Promise<void> {
    try {
      await this.compact(linkId);
    } catch (error) {
      this.log.error("Could not compact a link's stored clicks", { linkId, err: error });
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
    // Reads the store again, because another recorder has replaced a block.
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
      this.repository.remove(blocks.map(({ id }) => id)).catch((error: unknown) =>
        this.log.warn(
          'Could not delete click blocks that compaction has replaced; retrying within two hours',
          {
            err: error,
          },
        ),
      );
    }, this.graceMs);
    timer.unref();
  }
}
