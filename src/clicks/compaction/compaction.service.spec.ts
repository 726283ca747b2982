import fc from 'fast-check';
import { BLOCK_BYTES, BLOCK_CLICKS, blocksToMerge, type Sized } from './compaction.service';

const size = (n: number): Sized => ({ n, bytes: n * 20 });

describe('blocksToMerge', () => {
  it('skips a block that is more than twice as large as the inline chunks', () => {
    expect(blocksToMerge(size(100), [size(201)])).toEqual([]);
    expect(blocksToMerge(size(100), [size(200)])).toEqual([size(200)]);
  });

  it('compares the next block with the total size merged so far', () => {
    const blocks = [size(900), size(100), size(300), size(2800)];
    expect(blocksToMerge(size(100), blocks)).toEqual([size(100), size(300), size(900), size(2800)]);
  });

  it('starts with the smallest block when there are no inline chunks', () => {
    const blocks = Array.from({ length: 17 }, () => size(2000));
    expect(blocksToMerge(size(0), blocks)).toHaveLength(17);
    expect(blocksToMerge(size(0), [size(9000), size(1000)])).toEqual([size(1000)]);
  });

  it('never grows a block beyond its limits', () => {
    expect(blocksToMerge(size(200_000), [size(50_001)])).toEqual([]);
    const heavy = { n: 10, bytes: BLOCK_BYTES };
    expect(blocksToMerge({ n: 10, bytes: 1 }, [heavy])).toEqual([]);
  });

  it('keeps the number of blocks logarithmic for any sequence of chunks', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 500 }), { maxLength: 300 }), (sizes) => {
        let blocks: Sized[] = [];
        for (const inline of sizes) {
          const merged = blocksToMerge(size(inline), blocks);
          const n = merged.reduce((sum, block) => sum + block.n, inline);
          expect(n).toBeLessThanOrEqual(BLOCK_CLICKS);
          blocks = [...blocks.filter((block) => !merged.includes(block)), size(n)];
        }
        const total = sizes.reduce((a, b) => a + b, 0);
        expect(blocks.reduce((sum, block) => sum + block.n, 0)).toBe(total);
        expect(blocks.length).toBeLessThanOrEqual(Math.log(total + 1) / Math.log(3) + 2);
      }),
    );
  });
});
