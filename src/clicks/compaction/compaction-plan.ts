/** A click store is compacted when its inline tail has more chunks or bytes than this. */
export const TAIL_CHUNKS = 64;
export const TAIL_BYTES = 16 * 1024;
/** Or when it names more small blocks than this. */
export const SMALL_BLOCKS = 16;
/** Up to this many clicks a block counts as small. */
export const SMALL_CLICKS = 50_000;
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
 * Chooses the blocks that are merged with a tail of the given size (maybe none): from the smallest
 * on, as long as each is no more than twice what has been gathered. Sizes of the blocks left behind then grow
 * threefold from one to the next, so a link has few blocks and a click is rewritten a logarithmic
 * number of times.
 */
export function blocksToMerge<B extends Sized>(tail: Sized, blocks: readonly B[]): B[] {
  const chosen: B[] = [];
  let { n, bytes } = tail;
  for (const block of [...blocks].sort((a, b) => a.n - b.n)) {
    if (n > 0 && block.n > n * GROWTH) break;
    if (n + block.n > BLOCK_CLICKS || bytes + block.bytes > BLOCK_BYTES) break;
    chosen.push(block);
    n += block.n;
    bytes += block.bytes;
  }
  return chosen;
}
