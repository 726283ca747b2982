import { type FileHandle, open } from 'node:fs/promises';
import { boundedJson } from '../../../common/http/json-bodies';
import {
  type FoundRow,
  type FoundVisit,
  type ImportReader,
  MAX_PAGE_BYTES,
  MAX_PAGE_ROWS,
  MAX_PAGE_VISITS,
  type ReadPage,
  rowsOrProblem,
  type VisitPage,
} from '../../reading/import-reader';
import { type JsonFields, toFields } from '../../reading/json-answer';
import { isZipFile } from '../../reading/plain-file';
import { ImportFormatError } from '../../reading/source.errors';
import { importFilePath, type Import } from '../../store/import';
import {
  clickOfLine,
  CountsDecoder,
  type ExportedCounts,
  timeOfLine,
  visitorOfLine,
} from './export-codec';
import { copiedExport, type ExportHead, type LinkHead } from './export-copy';
import { type ExportedItem, linkOfItem, parseItem } from './exported-link';
import { type Line, splitLines } from './lines';

/** Offsets in the copied export, at a link or at the link's next click. */
interface ExportPosition {
  readonly offset: number;
  /** Offset at which the link's history begins. */
  readonly past: number;
  readonly row: number;
  /** Number of bytes of the link's clicks already read; absent at the start of a link. */
  readonly passed?: number;
}

interface LocatedLink extends LinkHead, Omit<ExportPosition, 'passed'> {
  readonly bytes: Buffer;
  readonly next: ExportPosition;
}

const EXPORT_CHUNK_BYTES = 64 * 1024;
const END = 10;

export const curtailReader: ImportReader = {
  async page(
    dataImport: Import,
    position: ExportPosition | null,
    firstRow: number,
  ): Promise<ReadPage> {
    const rows: FoundRow[] = [];
    let bytes = 0;
    return withCopy(dataImport, async (copy) => {
      for await (const found of linksFrom(copy, position ?? { ...copy.start, row: firstRow })) {
        const { row, next } = found;
        const item = parseItem(found);
        const clicks = copy.head.hasClicks ? found.clickCount : null;
        const counts = await readCounts(copy, found);
        const links = async () => [
          typeof item === 'string'
            ? { row, problem: item }
            : await linkOfItem(row, item, { clicks, counts }),
        ];
        rows.push(...(await rowsOrProblem(row, links)));
        bytes += found.item + found.counts;
        if (rows.length < MAX_PAGE_ROWS && bytes < MAX_PAGE_BYTES) continue;
        return { rows, nextRow: next.row, next };
      }
      return { rows, nextRow: firstRow + rows.length, next: null };
    });
  },

  visits: {
    count: () => Promise.resolve(1),
    page: (dataImport: Import, _part: number, position: ExportPosition | null) =>
      withCopy(dataImport, (copy) => readExportVisits(copy, position)),
  },
};

async function readCounts(
  { history }: Copy,
  { counts, past }: LocatedLink,
): Promise<ExportedCounts | null> {
  if (counts === 0) return null;
  const decoder = new CountsDecoder();
  for await (const line of splitLines(readChunks(history, past, past + counts)))
    decoder.add(fieldsIn(line));
  return decoder.build();
}

async function readExportVisits(copy: Copy, position: ExportPosition | null): Promise<VisitPage> {
  const visits: FoundVisit[] = [];
  let passed = position?.passed ?? 0;
  for await (const found of linksFrom(copy, position ?? { ...copy.start, row: 1 })) {
    const { row, offset, past, counts, clicks } = found;
    const line = parseItem(found);
    const item = typeof line === 'string' ? null : line;
    const about = { row, alias: itemAlias(item), countsBots: item?.count_bots !== false };
    if (clicks > 0) {
      const clicksAt = past + counts;
      const lines = splitLines(readChunks(copy.history, clicksAt + passed, clicksAt + clicks));
      for await (const line of lines) {
        passed += line.length;
        visits.push(visitOfLine(line, about, copy.head.id));
        if (visits.length >= MAX_PAGE_VISITS) {
          const next: ExportPosition = { offset, past, row, passed };
          return { visits, next };
        }
      }
    }
    passed = 0;
  }
  return { visits, next: null };
}

interface AboutLink {
  readonly row: number;
  readonly alias: string;
  readonly countsBots: boolean;
}

/** An unreadable line yields a visit without a time. */
function visitOfLine(
  line: Line,
  { row, alias, countsBots }: AboutLink,
  exportId: string,
): FoundVisit {
  const fields = fieldsIn(line);
  const visitor = visitorOfLine(fields);
  return {
    alias,
    at: timeOfLine(fields),
    ip: '',
    userAgent: '',
    referrer: '',
    countryCode: null,
    row,
    known: {
      click: clickOfLine(fields, countsBots),
      // A visitor's number is unique only within an export, so the export's id is added.
      visitor: visitor === null ? null : [exportId, String(visitor)],
    },
  };
}

function fieldsIn({ bytes }: Line): JsonFields {
  const read = boundedJson(bytes);
  return ('value' in read ? toFields(read.value) : null) ?? {};
}

function itemAlias(item: ExportedItem | null): string {
  return typeof item?.alias === 'string' ? item.alias : '';
}

interface Copy {
  readonly links: FileHandle;
  readonly history: FileHandle;
  readonly head: ExportHead;
  readonly start: Pick<ExportPosition, 'offset' | 'past'>;
}

async function withCopy<T>(dataImport: Import, use: (copy: Copy) => Promise<T>): Promise<T> {
  const path = importFilePath(dataImport);
  if (!(await isZipFile(path))) throw new ImportFormatError('not a ZIP file');
  const copied = await copiedExport(path, dataImport.copies);
  const links = await open(copied.links, 'r');
  const history = await open(copied.history, 'r');
  try {
    const bytes = await readChunk(links, 0, EXPORT_CHUNK_BYTES);
    const end = bytes.indexOf(END);
    const head = JSON.parse(bytes.toString('utf8', 0, end)) as ExportHead;
    return await use({ links, history, head, start: { offset: end + 1, past: 0 } });
  } finally {
    await links.close();
    await history.close();
  }
}

async function* linksFrom({ links }: Copy, from: ExportPosition): AsyncGenerator<LocatedLink> {
  const { size } = await links.stat();
  for (let { offset, past, row } = from; offset < size;) {
    const chunk = await readChunk(links, offset, EXPORT_CHUNK_BYTES);
    const end = chunk.indexOf(END);
    const head = JSON.parse(chunk.toString('utf8', 0, end)) as LinkHead;
    const itemAt = offset + end + 1;
    const isWhole = end + 1 + head.item <= chunk.length;
    const bytes = isWhole
      ? chunk.subarray(end + 1, end + 1 + head.item)
      : await readChunk(links, itemAt, head.item);
    const next = {
      offset: itemAt + head.item + 1,
      past: past + head.counts + head.clicks,
      row: row + 1,
    };
    yield { ...head, offset, past, row, bytes, next };
    ({ offset, past, row } = next);
  }
}

async function* readChunks(file: FileHandle, from: number, to: number): AsyncGenerator<Buffer> {
  for (let at = from; at < to; at += EXPORT_CHUNK_BYTES)
    yield readChunk(file, at, Math.min(EXPORT_CHUNK_BYTES, to - at));
}

async function readChunk(file: FileHandle, at: number, count: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(count), 0, count, at);
  return buffer.subarray(0, bytesRead);
}
