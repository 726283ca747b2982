import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { aClick, clickArbitrary } from '../../../test/support/shared/click.factory';
import { clicksOfColumns } from '../../../test/support/shared/clicks-of-columns';
import { decodeChunk, encodeColumns } from '../../engines/click-engine/chunk/chunk';
import { type ChunkColumns, columnsOfClicks } from '../../engines/click-engine/chunk/chunk-columns';
import type { Click } from '../../engines/click-engine/chunk/click';
import { clickBatchEntry } from './click-batch';
import { mergeChunks } from '../../engines/click-engine/chunk/merge-chunks';
import { boundTypedValues, OTHER_VALUES } from './typed-values';

const LINK = 'a'.repeat(24);

/** A click of maximum size. Each value from the visitor is unique and has the maximum length. */
function hostileClick(at: number): Click {
  const text = (bytes: number) => randomBytes(bytes).toString('base64url');
  // A hundred characters of four bytes, each with 15 random bits.
  const utm = () =>
    String.fromCodePoint(
      ...Array.from(
        new Uint16Array(new Uint8Array(randomBytes(200)).buffer),
        (bits) => 0x20000 + (bits >> 1),
      ),
    );
  return aClick({
    at,
    visitor: randomBytes(12).toString('hex'),
    referrer: `https://${text(180)}.example`.toLowerCase(),
    utmSource: utm(),
    utmMedium: utm(),
    utmCampaign: utm(),
    botName: text(75),
    redirectMs: randomBytes(2).readUInt16LE(),
  });
}

const hostile = (count: number) => Array.from({ length: count }, (_, i) => hostileClick(i * 7));
const storedBytes = (clicks: readonly Click[]) =>
  clickBatchEntry(LINK, clicks).chunks.reduce((sum, { data }) => sum + data.length, 0);
const storedColumns = (clicks: readonly Click[]) =>
  clickBatchEntry(LINK, clicks).chunks.map(({ data }) => decodeChunk(data));
const texts = (chunk: ChunkColumns) =>
  [...clicksOfColumns(chunk)].map((click) => JSON.stringify(Object.entries(click).sort())).sort();

describe('the values that visitors can choose', () => {
  it('use at most 200 bytes per click beyond the first 16 KB', () => {
    for (const count of [1, 200, 3000]) {
      expect(storedBytes(hostile(count))).toBeLessThan(16 * 1024 + 200 * count);
    }
    expect(storedBytes(hostile(6000)) / 6000).toBeLessThan(200);
  });

  it('use no more space in many batches, once the batches are compacted', () => {
    const batches = Array.from({ length: 40 }, () => storedColumns(hostile(100))).flat();
    const merged = boundTypedValues(mergeChunks(batches));
    expect(merged.n).toBe(4000);
    expect(encodeColumns(merged).length).toBeLessThan(16 * 1024 + 200 * 4000);
    // Clicks whose values were replaced are still counted in every column.
    const rows = [...clicksOfColumns(merged)];
    expect(rows.filter(({ utmSource }) => utmSource === null)).toEqual([]);
    expect(rows.filter(({ utmSource }) => utmSource === OTHER_VALUES).length).toBeGreaterThan(1000);
    expect(boundTypedValues(merged)).toBe(merged);
  });

  it('are stored exactly for an ordinary link with any number of values', () => {
    const clicks = Array.from({ length: 1000 }, (_, i) =>
      aClick({
        at: i,
        referrer: `https://a-site-with-quite-a-long-name-${i}.subdomain.example.com`,
        utmCampaign: `newsletter-2026-11-recipient-${i}`,
      }),
    );
    const whole = storedColumns(clicks);
    expect(whole.flatMap(texts)).toEqual(texts(columnsOfClicks(clicks)));
    const parts = Array.from({ length: 100 }, (_, i) => clicks.slice(i * 10, i * 10 + 10));
    const merged = boundTypedValues(mergeChunks(parts.flatMap(storedColumns)));
    expect(texts(merged)).toEqual(texts(columnsOfClicks(clicks)));
  });

  it('are kept if many clicks have them, even if all other values are random', () => {
    const honest = Array.from({ length: 300 }, (_, i) =>
      aClick({ at: i, referrer: `https://r${i % 30}.example`, utmSource: 'letter' }),
    );
    const [chunk] = storedColumns([...hostile(3000), ...honest]);
    const rows = chunk === undefined ? [] : [...clicksOfColumns(chunk)];
    expect(rows.filter(({ utmSource }) => utmSource === 'letter')).toHaveLength(300);
    for (let i = 0; i < 30; i++) {
      expect(rows.filter(({ referrer }) => referrer === `https://r${i}.example`)).toHaveLength(10);
    }
  });

  it('are cut in the same way for any order of the same clicks', () => {
    const clicks = hostile(400);
    const again = clicks.map((click) => ({ ...click })).reverse();
    expect(clickBatchEntry(LINK, again)).toEqual(clickBatchEntry(LINK, clicks));
  });

  it('do not affect the other values of a click when they are cut', () => {
    fc.assert(
      fc.property(fc.array(clickArbitrary, { minLength: 1, maxLength: 40 }), (clicks) => {
        const chunk = columnsOfClicks([...clicks, ...hostile(60)]);
        const bounded = [...clicksOfColumns(boundTypedValues(chunk))];
        [...clicksOfColumns(chunk)].forEach((click, row) => {
          const { referrer, utmSource, utmMedium, utmCampaign, botName } = bounded[row]!;
          const stored = { referrer, utmSource, utmMedium, utmCampaign, botName };
          expect(bounded[row]).toEqual({ ...click, ...stored });
          for (const [name, value] of Object.entries(stored)) {
            expect([OTHER_VALUES, click[name as keyof Click]]).toContain(value);
          }
        });
      }),
      { numRuns: 20 },
    );
  });
});
