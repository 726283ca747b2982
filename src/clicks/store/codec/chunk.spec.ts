import fc from 'fast-check';
import { decodeChunk, encodeChunk, encodeColumns } from './chunk';
import { CorruptChunkError } from './chunk-columns';
import type { Click } from '../click';
import { clicksOfColumns } from './columns-of-clicks';
import { aClick, clickArbitrary } from '../../../../test/support/statistics/click.factory';
import { mergeChunks } from './merge-chunks';

const sorted = (clicks: Iterable<Click>): string[] =>
  [...clicks].map((click) => JSON.stringify(Object.entries(click).sort())).sort();

describe('chunk', () => {
  it('gives back exactly the clicks it was made of', () => {
    fc.assert(
      fc.property(fc.array(clickArbitrary, { minLength: 1, maxLength: 60 }), (clicks) => {
        const chunk = decodeChunk(encodeChunk(clicks));
        expect(sorted(clicksOfColumns(chunk))).toEqual(sorted(clicks));
        expect(chunk.n).toBe(clicks.length);
        expect(chunk.from).toBe(Math.min(...clicks.map((click) => click.at)));
        expect(chunk.to).toBe(Math.max(...clicks.map((click) => click.at)));
      }),
    );
  });

  it('gives the same bytes for the same clicks', () => {
    const clicks = [aClick({ at: 5 }), aClick({ at: 3, browser: 'Firefox' })];
    expect(encodeChunk(clicks)).toEqual(encodeChunk(clicks.map((click) => ({ ...click }))));
  });

  it('keeps one ordinary click within 110 bytes', () => {
    const click = aClick({ referrer: 'https://news.example.org' });
    expect(encodeChunk([click]).length).toBeLessThanOrEqual(110);
  });

  it('refuses every damaged byte and every cut', () => {
    const data = encodeChunk(Array.from({ length: 40 }, (_, i) => aClick({ at: 1000 + i })));
    for (let byte = 0; byte < data.length; byte += 1) {
      const damaged = Buffer.from(data);
      damaged[byte] = damaged[byte]! ^ 0x10;
      expect(() => decodeChunk(damaged)).toThrow(CorruptChunkError);
      expect(() => decodeChunk(data.subarray(0, byte))).toThrow(CorruptChunkError);
    }
  });

  it('never answers arbitrary bytes with anything but an error', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => {
        expect(() => decodeChunk(bytes)).toThrow(CorruptChunkError);
      }),
    );
  });

  it('refuses clicks that no visit can make', () => {
    expect(() => encodeChunk([])).toThrow(RangeError);
    expect(() => encodeChunk([aClick({ at: -1 })])).toThrow(RangeError);
    expect(() => encodeChunk([aClick({ at: 0.5 })])).toThrow(RangeError);
    expect(() => encodeChunk([aClick({ redirectMs: -1 })])).toThrow(RangeError);
    expect(() => encodeChunk([aClick({ redirectMs: 2 ** 32 })])).toThrow(RangeError);
    expect(() => encodeChunk([aClick({ visitor: 'abc' })])).toThrow(RangeError);
  });

  it('merges chunks into one that holds the clicks of all', () => {
    const several = fc.array(fc.array(clickArbitrary, { minLength: 1, maxLength: 20 }), {
      minLength: 1,
      maxLength: 5,
    });
    fc.assert(
      fc.property(several, (groups) => {
        const merged = mergeChunks(groups.map((clicks) => decodeChunk(encodeChunk(clicks))));
        const stored = decodeChunk(encodeColumns(merged));
        expect(sorted(clicksOfColumns(stored))).toEqual(sorted(groups.flat()));
        const visitors = new Set(groups.flat().map((click) => click.visitor));
        expect(stored.visitors.length).toBe(visitors.size * 12);
      }),
    );
  });
});
