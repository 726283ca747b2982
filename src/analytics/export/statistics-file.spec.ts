import { Workbook } from 'exceljs';
import { buffer } from 'node:stream/consumers';
import { xlsxWorkbook } from '../../infrastructure/files/xlsx';
import type { OpenResult } from '../engine/statistics-engine';
import type { StatisticsScope } from '../scope/statistics-scope';
import { statisticsFile } from './export.service';

describe('statisticsFile', () => {
  const scope = {
    name: 'all',
    source: { links: [] },
    parameters: { groupBy: ['time', 'referrer'], metrics: ['clicks'], filters: {} },
    period: { start: 0, end: 1, timezone: 'UTC' },
    ...{ shortCode: null, link: null, requestKey: '', clicks: null, isPublic: false },
  } satisfies StatisticsScope;
  const labels: Partial<Record<string, string>> = { time: '2026-10-20', referrer: '2026-10-20' };
  const head = { size: 1, clicksSum: 1, visitorsSum: 1 };
  const last = { at: Date.UTC(2026, 9, 20, 12), browser: '', os: '', country: '' };
  const result: OpenResult = {
    summary: {
      clicks: 1,
      visitors: 1,
      first: last.at,
      last,
      redirectMs: 1,
      withoutVisitor: 0,
      untimed: 0,
    },
    heads: { time: head, referrer: head },
    async *rows(dimension) {
      yield await Promise.resolve([{ label: labels[dimension] ?? '', clicks: 1, visitors: 1 }]);
    },
    close: () => Promise.resolve(),
  };

  async function cells(times: 'text' | 'dates'): Promise<unknown[]> {
    const workbook = new Workbook();
    const content = statisticsFile(scope, result, undefined, times).workbook();
    await workbook.xlsx.load((await buffer(xlsxWorkbook(content))) as never);
    const [summary, time, referrer] = workbook.worksheets;
    return [summary!.getCell('B4'), time!.getCell('A2'), referrer!.getCell('A2')].map(
      ({ value }) => value,
    );
  }

  it("writes times as text or, if requested, as dates, and visitors' values always as text", async () => {
    const text = ['2026-10-20T12:00:00.000Z', '2026-10-20', '2026-10-20'];
    expect(await cells('text')).toEqual(text);
    expect(await cells('dates')).toEqual([
      new Date(last.at),
      new Date('2026-10-20T00:00:00Z'),
      '2026-10-20',
    ]);
  });
});
