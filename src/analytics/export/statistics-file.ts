import type { BreakdownHead } from '../engine/statistics-result';
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

function listsOf({ parameters }: StatisticsScope, result: OpenResult): FileList[] {
  return parameters.groupBy.flatMap((dimension) =>
    parameters.metrics.map((metric) => {
      const sums = headOf(result, dimension);
      async function* pages(): AsyncGenerator<Point[]> {
        for await (const rows of result.rows(dimension)) {
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
  if (head === undefined) throw new RangeError(`No result by ${dimension}`);
  return head;
}

/** What the files of a report are written from (docs/contract.md#10). */
export function statisticsFile(scope: StatisticsScope, result: OpenResult): FileContents {
  return {
    document: () => fileDocument(scope, result),
    archive: () => fileTables(scope, result, 'summary'),
    workbook: () => fileTables(scope, result, 'Summary'),
  };
}

/** The object of docs/contract.md#9.3, its lists uncut: what json and xml files hold. */
function fileDocument(scope: StatisticsScope, result: OpenResult): DocumentObject {
  const { before, after } = statisticsResponseFrame(scope, result.summary);
  const lists = listsOf(scope, result);
  const metrics = Object.fromEntries(lists.map(({ key, points }) => [key, points]));
  return { ...before, metrics, ...after } as unknown as DocumentObject;
}

/** The summary and each list that has rows, as tables: what csv and xlsx files hold. */
function fileTables(scope: StatisticsScope, result: OpenResult, summaryName: string): Table[] {
  const { summary } = statisticsResponseFrame(scope, result.summary).before;
  const rows = SUMMARY.map((field) => [field, summary[field]] as const);
  const lists = listsOf(scope, result).filter(({ points }) => points.size > 0);
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
