import { Injectable } from '@nestjs/common';
import type { Principal } from '../../auth/access';
import type { FileResult } from '../../common/http/http-result';
import {
  attachment,
  contentType,
  type FileContents,
} from '../../infrastructure/files/file-formats';
import { FileWriterThread } from '../../infrastructure/files/file-writer.thread';
import type { BreakdownHead } from '../../engines/click-engine/query/statistics-query';
import { type DocumentObject, PagedList } from '../../infrastructure/files/json';
import { type Cell, smallTable, type Table } from '../../infrastructure/files/table';
import { ImportedClicksService } from '../report/imported-clicks.service';
import {
  openResult,
  type OpenResult,
  type StatisticsClient,
  StatisticsEngine,
} from '../engine/statistics-engine';
import type { AccountExportDto, LinkExportDto } from '../query/statistics.dto';
import { toQuery } from '../query/statistics-parameters';
import { type AccountRequest, AccountScopes, LinkScopes } from '../scope/scopes';
import type { StatisticsScope } from '../scope/statistics-scope';
import type { ApiDimension } from '../engine/dimensions';
import { statisticsResponseFrame } from '../report/statistics.response';
import type { ImportedResponse } from '../report/imported.response';
import { listKey, type Point, pointKeys, toPoints } from '../report/report-lists';

export type RequestedFile = Pick<LinkExportDto, 'format' | 'bom'>;

interface FileStyle {
  /** Link alias, for the file name. */
  readonly alias?: string;
  /** Time format; see statisticsFile. */
  readonly times?: 'text' | 'dates';
}

@Injectable()
export class ExportService {
  constructor(
    private readonly accounts: AccountScopes,
    private readonly links: LinkScopes,
    private readonly engine: StatisticsEngine,
    private readonly imported: ImportedClicksService,
    private readonly writer: FileWriterThread,
  ) {}

  async ofAccount(request: AccountRequest<AccountExportDto>): Promise<FileResult> {
    const scope = await this.accounts.find(request, { fromCreation: false });
    return this.file(scope, request.client, request.query);
  }

  async ofLink(
    id: string,
    query: LinkExportDto,
    principal: Principal,
    client: StatisticsClient,
  ): Promise<FileResult> {
    const scope = await this.links.find(id, query, principal);
    return this.file(scope, client, query, { alias: scope.link?.alias });
  }

  /** Rejects invalid requests before it sends the first byte. */
  async file(
    scope: StatisticsScope,
    client: StatisticsClient,
    { format, bom }: RequestedFile,
    { alias, times }: FileStyle = {},
  ): Promise<FileResult> {
    const query = toQuery(scope.parameters, scope.period);
    const imported = await this.imported.find(scope.source, scope.period, Infinity);
    const stem = alias === undefined ? 'curtail-export' : `curtail-export-${alias}`;
    const result = await openResult(this.engine, { ...scope, query, client });
    return {
      kind: 'file',
      contentType: contentType(format),
      disposition: attachment(stem, format),
      open: () => this.writer.write(format, statisticsFile(scope, result, imported, times), bom),
      close: () => result.close(),
    };
  }
}

const SUMMARY_FIELDS = [
  'total_clicks',
  'unique_clicks',
  'first_click',
  'last_click',
  'avg_redirection_time',
] as const;

interface FileList {
  key: string;
  columns: readonly string[];
  points: PagedList<Point>;
}

function toFileLists({ parameters }: StatisticsScope, result: OpenResult): FileList[] {
  return parameters.groupBy.flatMap((dimension) =>
    parameters.metrics.map((metric) => {
      const sums = findHead(result, dimension);
      async function* pages(): AsyncGenerator<Point[]> {
        for await (const rows of result.rows(dimension)) {
          yield toPoints(rows, metric, dimension, sums);
        }
      }
      return {
        key: listKey(metric, dimension),
        columns: pointKeys(metric, dimension),
        points: new PagedList(sums.size, pages),
      };
    }),
  );
}

function findHead({ heads }: OpenResult, dimension: ApiDimension): BreakdownHead {
  const head = heads[dimension];
  if (head === undefined) throw new RangeError(`No result by ${dimension}`);
  return head;
}

/**
 * @param imported clicks counted before an import, if any
 * @param times format in a workbook: text, as the contract specifies for exports, or dates
 */
export function statisticsFile(
  scope: StatisticsScope,
  result: OpenResult,
  imported?: ImportedResponse,
  times: 'text' | 'dates' = 'text',
): FileContents {
  return {
    document: () => fileDocument(scope, result, imported),
    archive: () => fileTables(scope, result, imported, 'summary'),
    workbook: () => {
      const tables = fileTables(scope, result, imported, 'Summary');
      return times === 'text' ? tables : tables.map(withDates);
    },
  };
}

/** The object in docs/contract.md#9.3 with complete lists, for JSON and XML files. */
function fileDocument(
  scope: StatisticsScope,
  result: OpenResult,
  imported: ImportedResponse | undefined,
): DocumentObject {
  const { before, after } = statisticsResponseFrame(scope, result.summary, imported);
  const lists = toFileLists(scope, result);
  const metrics = Object.fromEntries(lists.map(({ key, points }) => [key, points]));
  return { ...before, metrics, ...after } as unknown as DocumentObject;
}

function fileTables(
  scope: StatisticsScope,
  result: OpenResult,
  imported: ImportedResponse | undefined,
  summaryName: string,
): Table[] {
  const { summary } = statisticsResponseFrame(scope, result.summary).before;
  const fields = [...SUMMARY_FIELDS, 'clicks_without_visitor' as const].filter(
    (name) => name in summary,
  );
  const rows = fields.map((field) => [field, summary[field] ?? null] as const);
  const lists = toFileLists(scope, result).filter(({ points }) => points.size > 0);
  return [
    smallTable(summaryName, ['Field', 'Value'], rows),
    ...lists.map(listTable),
    ...(imported === undefined ? [] : importedTables(imported)),
  ];
}

/** The table has one row without a time if the source has only a total. */
function importedTables({ granularity, clicks, by_time: units, by }: ImportedResponse): Table[] {
  const times =
    granularity === 'total'
      ? [['total', clicks] as const]
      : units.map((unit) => [unit.time, unit.clicks] as const);
  return [
    smallTable('imported_by_time', ['time', 'clicks'], times),
    ...Object.entries(by).map(([name, values]) =>
      smallTable(
        `imported_by_${name}`,
        [name, 'clicks'],
        values.map((row) => [row.value, row.clicks] as const),
      ),
    ),
  ];
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

/** Converts days and months in lists, and times in the summary, to dates. */
function withDates(table: Table): Table {
  const isTime = table.header?.[0] === 'time';
  return {
    ...table,
    async *rows() {
      for await (const page of table.rows()) {
        yield page.map(([first = null, ...others]): Cell[] =>
          isTime ? [dateCell(first), ...others] : [first, ...others.map(instantCell)],
        );
      }
    },
  };
}

const DAY_TEXT = /^\d{4}-\d\d-\d\d$/;
const MONTH_TEXT = /^\d{4}-\d\d$/;
const INSTANT = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;

function dateCell(cell: Cell): Cell {
  if (typeof cell !== 'string') return cell;
  if (INSTANT.test(cell)) return instantCell(cell);
  if (DAY_TEXT.test(cell)) return { text: cell, at: Date.parse(cell), format: 'yyyy-mm-dd' };
  return MONTH_TEXT.test(cell) ? { text: cell, at: Date.parse(cell), format: 'yyyy-mm' } : cell;
}

/** Only the summary contains times. In lists, all columns but the first are numbers. */
function instantCell(cell: Cell): Cell {
  if (typeof cell !== 'string' || !INSTANT.test(cell)) return cell;
  return { text: cell, at: Date.parse(cell), format: 'yyyy-mm-dd hh:mm:ss' };
}
