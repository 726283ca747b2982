import fc from 'fast-check';
import { decodeChunk, encodeChunk, encodeColumns } from './chunk';
import { ChunkVersionError, CorruptChunkError, UnknownColumnKindError } from './engine.errors';
import { type ChunkColumns, VALUE_COLUMNS, type ValueColumn } from './chunk-columns';
import {
  COLUMN_KINDS,
  readStoredFlags,
  readStoredNumbers,
  readStoredPairs,
  readStoredValues,
  storeFlags,
  storeNumbers,
  storeValues,
} from './column-kinds';
import type { Click } from './click';
import { aClick, clickArbitrary } from '../../../../test/support/shared/click.factory';
import { clicksOfColumns } from '../../../../test/support/shared/clicks-of-columns';
import { laterClicks, mergeChunks } from './merge-chunks';

const sorted = (clicks: Iterable<Click>): string[] =>
  [...clicks].map((click) => JSON.stringify(Object.entries(click).sort())).sort();

describe('chunk', () => {
  it('returns exactly the clicks that it was created from', () => {
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

  it('without its earlier clicks equals a chunk of the later ones', () => {
    const values = fc.array(clickArbitrary, { minLength: 1, maxLength: 60 });
    fc.assert(
      fc.property(values, fc.nat(), (clicks, place) => {
        const after = clicks[place % clicks.length]!.at;
        const later = laterClicks(decodeChunk(encodeChunk(clicks)), after);
        const expected = clicks.filter(({ at }) => at > after);
        expect(later === null).toBe(expected.length === 0);
        if (later === null) return;
        const stored = decodeChunk(encodeColumns(later));
        expect(sorted(clicksOfColumns(stored))).toEqual(sorted(expected));
        const { from, to } = decodeChunk(encodeChunk(expected));
        expect([later.from, later.to]).toEqual([from, to]);
        const values = new Set(expected.map(({ referrer }) => referrer));
        expect(new Set(stored.columns.referrer.values)).toEqual(values);
      }),
    );
  });

  it('from a later release is not reported as damaged', () => {
    const data = encodeChunk([aClick()]);
    data[0] = 3;
    expect(() => decodeChunk(data)).toThrow(ChunkVersionError);
    expect(() => decodeChunk(data)).toThrow('format 3');
  });

  it('contains the same bytes for the same clicks', () => {
    const clicks = [aClick({ at: 5 }), aClick({ at: 3, browser: 'Firefox' })];
    expect(encodeChunk(clicks)).toEqual(encodeChunk(clicks.map((click) => ({ ...click }))));
  });

  it('stores one ordinary click in at most 110 bytes', () => {
    const click = aClick({ referrer: 'https://news.example.org' });
    expect(encodeChunk([click]).length).toBeLessThanOrEqual(110);
  });

  it('is rejected if any byte is damaged or missing', () => {
    const data = encodeChunk(Array.from({ length: 40 }, (_, i) => aClick({ at: 1000 + i })));
    for (let byte = 0; byte < data.length; byte += 1) {
      const damaged = Buffer.from(data);
      damaged[byte] = damaged[byte]! ^ 0x10;
      expect(() => decodeChunk(damaged)).toThrow(CorruptChunkError);
      expect(() => decodeChunk(data.subarray(0, byte))).toThrow(CorruptChunkError);
    }
  });

  it('only throws an error for arbitrary bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => {
        expect(() => decodeChunk(bytes)).toThrow(CorruptChunkError);
      }),
    );
  });

  it('rejects clicks that no visit can produce', () => {
    expect(() => encodeChunk([])).toThrow(RangeError);
    expect(() => encodeChunk([aClick({ at: -1 })])).toThrow(RangeError);
    expect(() => encodeChunk([aClick({ at: 0.5 })])).toThrow(RangeError);
    expect(() => encodeChunk([aClick({ redirectMs: -1 })])).toThrow(RangeError);
    expect(() => encodeChunk([aClick({ redirectMs: 2 ** 32 })])).toThrow(RangeError);
    expect(() => encodeChunk([aClick({ visitor: 'abc' })])).toThrow(RangeError);
  });

  it('contains the clicks of all merged chunks', () => {
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

  it('does not store a column without values', () => {
    const bare = aClick({ redirectMs: 0, browser: null, os: null, city: null, country: null });
    const [without, one] = [bare, { ...bare, browser: 'x' }].map((click) => encodeChunk([click]));
    // One byte each for the id with its kind, the length and the text.
    expect(one!.length - without!.length).toBe(3);
  });
});

describe('a column from a later release', () => {
  const RELEASE = 60;
  const visitor = (number: number) => number.toString(16).padStart(24, '0');
  const numbersOf = ({ unknown, n }: ChunkColumns) => [
    ...readStoredNumbers(COLUMN_KINDS.NUMBERS, unknown[0]!.payload!, new Float64Array(n)),
  ];

  /** Adds a number, a flag, a value and a pair to each click, as a later release might. */
  const later = (clicks: Click[]): ChunkColumns => {
    const chunk = decodeChunk(encodeChunk(clicks));
    const rows = chunk.visitorRows;
    const ids = Uint32Array.from(chunk.at, (at) => at % 3);
    const texts = { values: ['a', null, 'c'], ids };
    const unknown = [
      storeNumbers(
        RELEASE,
        Float64Array.from(chunk.at, (at) => at * 2 ** 20),
      ),
      storeFlags(
        RELEASE + 1,
        Uint8Array.from(chunk.at, (at) => at % 2),
      ),
      storeValues(RELEASE + 2, texts, rows),
      storeValues(RELEASE + 3, texts, rows, ['A', 'B', null]),
      storeValues(RELEASE + 4, { values: ['same'], ids: new Uint32Array(chunk.n) }, rows),
    ];
    return { ...chunk, unknown: unknown.filter((column) => column !== null) };
  };
  const some = (from: number, step: number) =>
    Array.from({ length: 9 }, (_, i) => aClick({ at: from + i, visitor: visitor(i * step) }));

  it('stays unchanged when a chunk is read and written', () => {
    const chunk = later(some(0, 1));
    const data = encodeColumns(chunk);
    expect(decodeChunk(data).unknown.map(({ id }) => id)).toEqual([60, 61, 62, 63, 64]);
    expect(encodeColumns(decodeChunk(data))).toEqual(data);
  });

  it('stays with its clicks when chunks are merged, according to its kind', () => {
    const parts = [later(some(10, 2)), decodeChunk(encodeChunk(some(40, 1))), later(some(70, 3))];
    const merged = decodeChunk(encodeColumns(mergeChunks(parts)));
    const { n, at, unknown, visitorRows: rows } = merged;
    // Clicks that were stored without the column get its default.
    const had = Array.from(at, (ms) => ms < 40 || ms >= 70);
    const expected = <T>(value: (ms: number) => T, missing: T) =>
      Array.from(at, (ms, row) => (had[row] ? value(ms) : missing));
    const payload = (id: number) => unknown.find((column) => column.id === id)!.payload!;
    const textsOf = ({ values, ids }: ValueColumn) => Array.from(ids, (id) => values[id]);
    expect(numbersOf(merged)).toEqual(expected((ms) => ms * 2 ** 20, 0));
    expect([...readStoredFlags(COLUMN_KINDS.FLAGS, payload(61), n)]).toEqual(
      expected((ms) => ms % 2, 0),
    );
    expect(textsOf(readStoredValues(COLUMN_KINDS.VALUES, payload(62), rows))).toEqual(
      expected((ms) => ['a', null, 'c'][ms % 3], null),
    );
    const { seconds, ...firsts } = readStoredPairs(COLUMN_KINDS.PAIRS, payload(63), rows);
    expect(textsOf(firsts)).toEqual(expected((ms) => ['a', null, 'c'][ms % 3], null));
    expect(textsOf({ ...firsts, values: seconds })).toEqual(
      expected((ms) => ['A', 'B', null][ms % 3], null),
    );
    expect(textsOf(readStoredValues(COLUMN_KINDS.VALUES, payload(64), rows))).toEqual(
      expected(() => 'same', null),
    );
  });

  it('of an unknown kind can be counted and kept, but a merge must not lose it', () => {
    const [click, other] = [some(0, 1), some(100, 1)].map((clicks) => later(clicks));
    const strange = { ...click!, unknown: [{ id: 90, kind: 7, payload: Buffer.from('strange') }] };
    const data = encodeColumns(strange);
    expect(encodeColumns(decodeChunk(data))).toEqual(data);
    const merged = mergeChunks([decodeChunk(data), other!]);
    expect(sorted(clicksOfColumns(merged))).toEqual(sorted([...some(0, 1), ...some(100, 1)]));
    expect(() => encodeColumns(merged)).toThrow(UnknownColumnKindError);
  });

  it('is treated as damaged if its kind differs from that of a known column', () => {
    const { unknown, ...chunk } = later(some(0, 1));
    const forged = { ...chunk, unknown: [{ ...unknown[0]!, id: VALUE_COLUMNS.os.id }] };
    const os = { values: [null], ids: new Uint32Array(chunk.n) };
    const data = encodeColumns({ ...forged, columns: { ...chunk.columns, os } });
    expect(() => decodeChunk(data)).toThrow(CorruptChunkError);
  });
});
