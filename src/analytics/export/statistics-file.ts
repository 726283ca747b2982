import type { BreakdownHead } from '../engine/engine-messages';
import type { OpenResult } from '../engine/statistics-engine';
import type { ApiDimension } from '../dimensions';
import { listKey, pointOf } from '../report/statistics.response';
import { statisticsResponseFrame } from '../report/statistics.response';
import type { Point } from '../report/statistics.response';
import type { StatisticsScope } from '../scope/statistics-scope';
import type { FileContents } from './file-formats';
import { type DocumentObject, PagedList } from './paged-list';
import { smallTable, type Table } from './table';

const SUMMARY = [
  'total_clicks',
  'unique_clicks',
  'first_click',
  'last_click',
  'avg_redirection_time',
] as const;

/** A list of a report, uncut, with its key and the keys of its points. */
interface FileList {
  key: string;
  columns: readonly string[];
  points: PagedList<Point>;
}

function listsOf({ query }: StatisticsScope, figures: OpenResult): FileList[] {
  return query.groupBy.flatMap((dimension) =>
    query.metrics.map((metric) => {
      const sums = headOf(figures, dimension);
      async function* pages(): AsyncGenerator<Point[]> {
        for await (const rows of figures.rows(dimension)) {
          yield rows.map((row) => pointOf(row, metric, dimension, sums));
        }
      }
      return {
        key: listKey(metric, dimension),
        columns: [dimension, metric, `${metric}_percentage`],
        points: new PagedList(sums.size, pages),
      };
    }),
  );
}

function headOf({ heads }: OpenResult, dimension: ApiDimension): BreakdownHead {
  const head = heads[dimension];
  if (head === undefined) throw new RangeError(`No figures by ${dimension}`);
  return head;
}

/** What the files of a report are written from (docs/contract.md#10). */
export function statisticsFile(subject: StatisticsScope, figures: OpenResult): FileContents {
  return {
    document: () => fileDocument(subject, figures),
    archive: () => fileTables(subject, figures, 'summary'),
    workbook: () => fileTables(subject, figures, 'Summary'),
  };
}

/** The object of docs/contract.md#9.3, its lists uncut: what json and xml files hold. */
function fileDocument(subject: StatisticsScope, figures: OpenResult): DocumentObject {
  const { before, after } = statisticsResponseFrame(subject, figures.summary);
  const lists = listsOf(subject, figures);
  const metrics = Object.fromEntries(lists.map(({ key, points }) => [key, points]));
  return { ...before, metrics, ...after } as unknown as DocumentObject;
}

/** The summary and each list that has rows, as tables: what csv and xlsx files hold. */
function fileTables(subject: StatisticsScope, figures: OpenResult, summaryName: string): Table[] {
  const { summary } = statisticsResponseFrame(subject, figures.summary).before;
  const rows = SUMMARY.map((field) => [field, summary[field]] as const);
  const lists = listsOf(subject, figures).filter(({ points }) => points.size > 0);
  return [smallTable(summaryName, ['Field', 'Value'], rows), ...lists.map(listTable)];
}

function listTable({ key, columns, points }: FileList): Table {
  return {
    name: key,
    header: columns,
    async *rows() {
      for await (const page of points.pages()) {
        yield page.map((point) => columns.map((column) => point[column] ?? null));
      }
    },
  };
}
