import { NOTHING_SEEN, type SeenVisits } from '../store/imported-links.repository';
import type { FoundVisit, VisitPages } from '../reading/import-reader';
import { type Reading, type ReadVisits, readNewVisits } from './new-visits';

const SIZE = 10;

function aVisit(second: number, userAgent = 'a'): FoundVisit {
  const at = Date.UTC(2024, 0, 1) + second * 1000;
  return { alias: '', at, ip: '', userAgent, referrer: '', countryCode: null };
}

/** Simulates a service with these visits, oldest first; `beforePage` may change the visits. */
function pagesOf(all: FoundVisit[], beforePage: (n: number) => void = () => undefined): VisitPages {
  let asked = 0;
  return {
    page: (page) => {
      beforePage(++asked);
      const first = (page - 1) * SIZE;
      const visits = [...all].reverse().slice(first, first + SIZE);
      return Promise.resolve({ total: all.length, first, size: SIZE, visits });
    },
    unsteady: () => new Error('unsteady'),
  };
}

/** Reads all pages, as if the process were killed before each page. */
async function readAll(pages: VisitPages, base: SeenVisits) {
  const found: FoundVisit[] = [];
  let reading: Reading | null = null;
  for (;;) {
    const read: ReadVisits = await readNewVisits(pages, base, reading, 1);
    found.push(...read.visits);
    ({ reading } = read);
    if (reading !== null) reading = JSON.parse(JSON.stringify(reading)) as Reading;
    else return { found, seen: { ...base, ...read.after } };
  }
}

const keysOf = (visits: readonly FoundVisit[]): string[] =>
  visits.map(({ at, userAgent }) => `${at ?? ''} ${userAgent}`).sort();

describe('new visits of a link', () => {
  it('are all visits in the first run, and later only those since that run', async () => {
    const all = Array.from({ length: 34 }, (_, i) => aVisit(i));
    const first = await readAll(pagesOf(all), NOTHING_SEEN);
    expect(keysOf(first.found)).toEqual(keysOf(all));
    const more = Array.from({ length: 25 }, (_, i) => aVisit(34 + i));
    const second = await readAll(pagesOf([...all, ...more]), first.seen);
    expect(keysOf(second.found)).toEqual(keysOf(more));
    expect((await readAll(pagesOf([...all, ...more]), second.seen)).found).toEqual([]);
  });

  it('are neither lost nor duplicated if more visits arrive during the run', async () => {
    const all = Array.from({ length: 45 }, (_, i) => aVisit(i));
    let next = all.length;
    const arriving = pagesOf(all, (asked) => {
      for (let i = 0; asked > 1 && i < 7; i++) all.push(aVisit(next++));
    });
    const first = await readAll(arriving, NOTHING_SEEN);
    expect(keysOf(first.found)).toEqual(keysOf(all.slice(0, 45)));
    const second = await readAll(pagesOf(all), first.seen);
    expect(keysOf(second.found)).toEqual(keysOf(all.slice(45)));
  });

  it('in the last second of the previous run are compared, in any order', async () => {
    const old = [aVisit(1), aVisit(2), aVisit(5, 'x'), aVisit(5, 'y'), aVisit(5, 'y')];
    const { seen } = await readAll(pagesOf(old), NOTHING_SEEN);
    const border = [aVisit(5, 'z'), aVisit(5, 'y'), aVisit(5, 'x'), aVisit(5, 'y'), aVisit(5, 'y')];
    const now = [aVisit(1), aVisit(2), ...border, aVisit(9)];
    const { found } = await readAll(pagesOf(now), seen);
    expect(keysOf(found)).toEqual(keysOf([aVisit(5, 'z'), aVisit(5, 'y'), aVisit(9)]));
  });

  it('are abandoned if the list keeps changing', async () => {
    const all = Array.from({ length: 15 }, (_, i) => aVisit(i));
    const racing = pagesOf(all, () => all.push(...Array.from({ length: 11 }, () => aVisit(99))));
    await expect(readNewVisits(racing, NOTHING_SEEN, null, 10)).rejects.toThrow('unsteady');
  });
});
