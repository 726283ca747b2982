import fc from 'fast-check';
import { aClick, clickArbitrary } from '../../../test/support/shared/click.factory';
import { encodeChunk } from '../../engines/click-engine/chunk/chunk';
import { columnsOfClicks } from '../../engines/click-engine/chunk/chunk-columns';
import type { Click } from '../../engines/click-engine/chunk/click';
import { clicksByTime, RecordedClicks } from './recorded-clicks';

const LINK = 'a'.repeat(24);
const sorted = (clicks: readonly Click[]): string[] =>
  clicks.map((click) => JSON.stringify(click, Object.keys(aClick()).sort())).sort();

describe('The recorded clicks of a link', () => {
  it('are returned by time with all their values, from all kinds of chunks', () => {
    const chunks = fc.array(fc.array(clickArbitrary, { minLength: 1 }), { minLength: 1 });
    fc.assert(
      fc.property(chunks, (parts) => {
        const columns = parts.map((part) => columnsOfClicks(part));
        const found = [...clicksByTime(columns)];
        const times = found.map(({ at }) => at);
        expect(times).toEqual(times.toSorted((a, b) => a - b));
        expect(sorted(found)).toEqual(sorted(parts.flat()));
      }),
    );
  });

  it('are read again if compaction has replaced their blocks', async () => {
    const [first, second] = [aClick({ at: 1000 }), aClick({ at: 2000 })];
    const stateWith = (...ids: string[]) => ({
      linkId: LINK,
      inlineChunks: { n: [1], from: [0], to: [0], data: [encodeChunk([first])] },
      blocks: ids.map((id) => ({ id, n: 1, from: 0, to: 0, bytes: 1 })),
    });
    const stores = jest
      .fn()
      .mockResolvedValueOnce([stateWith('replaced')])
      .mockResolvedValueOnce([stateWith('merged')]);
    const blocks = ([id]: readonly string[]) =>
      Promise.resolve(new Map(id === 'merged' ? [[id, encodeChunk([second])]] : []));
    const recorded = new RecordedClicks(() => ({ stores, blocks }) as never, null);
    const found: Click[] = [];
    for await (const { chunks } of recorded.byLink([LINK])) found.push(...clicksByTime(chunks));
    expect(found).toEqual([first, second]);
    expect(stores).toHaveBeenCalledTimes(2);
  });
});
