import { type FileHandle, open } from 'node:fs/promises';
import { isZipFile } from '../../reading/plain-file';
import { importFilePath, type Import } from '../../store/import';
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
import { type ExportedItem, parseItem, linkOfItem } from './exported-link';
import { type ExportHead, exportedLinks, type LinkHead } from './exported-links';
import { splitLines, type Line } from './lines';
import { ImportFormatError } from '../../reading/source.errors';
import { type Click, NO_REDIRECT_MS } from '../../../engines/click-engine/chunk/click';
import { SIGNALS } from '../../../engines/click-engine/chunk/signals';
import { agentVerdict } from '../../../clicks/crawlers';
import { toReferrer } from '../../../clicks/recorder/enricher';
import { OTHER_VALUES } from '../../../clicks/store/typed-values';
import { campaignValue } from '../../../common/campaign';
import { boundedJson } from '../../../common/http/json-bodies';
import { parseTime } from '../../../common/time';
import { toFields, type JsonFields } from '../../reading/json-answer';

const EXPORTED_DEVICES: readonly unknown[] = [
  'mobile',
  'tablet',
  'desktop',
] satisfies Click['device'][];
const COUNTRY = /^[A-Z]{2}$/;
const UNNAMED_EXPORTED_BOT = 'Unnamed bot';

interface AboutLink {
  readonly row: number;
  readonly alias: string;
  readonly countsBots: boolean;
}

/** An unreadable line yields a visit without a time. */
function visitOfLine(line: Line, about: AboutLink, exportId: string): FoundVisit {
  const fields = fieldsIn(line);
  const at = typeof fields.time === 'string' ? parseTime(fields.time) : null;
  const { row, alias } = about;
  return {
    alias,
    at,
    ip: '',
    userAgent: '',
    referrer: '',
    countryCode: null,
    row,
    known: { click: toClick(fields, about), visitor: toVisitor(fields, exportId) },
  };
}

function fieldsIn({ bytes }: Line): JsonFields {
  const read = boundedJson(bytes);
  return ('value' in read ? toFields(read.value) : null) ?? {};
}

/** A visitor's number is unique only within an export, so the export's id is added. */
function toVisitor({ visitor }: JsonFields, exportId: string): readonly [string, string] | null {
  const isNumber = Number.isSafeInteger(visitor) && (visitor as number) >= 0;
  return isNumber ? [exportId, String(visitor)] : null;
}

function toClick(fields: JsonFields, { countsBots }: AboutLink): Omit<Click, 'at' | 'visitor'> {
  const text = (name: string): string | null => {
    const value = fields[name];
    return typeof value === 'string' ? campaignValue(value.toWellFormed()) : null;
  };
  const { device, country_code: code, referrer, bot, redirect_ms: ms } = fields;
  const botName =
    bot === true || text('bot_name') !== null ? (text('bot_name') ?? UNNAMED_EXPORTED_BOT) : null;
  // For link previewers, the bot name is the word that identifies the User-Agent.
  const isPreview = botName !== null && agentVerdict(botName).isPreviewer;
  const isExempt = botName !== null && !countsBots;
  return {
    browser: text('browser'),
    os: text('os'),
    device: EXPORTED_DEVICES.includes(device) ? (device as Click['device']) : 'unknown',
    country: text('country'),
    countryCode: typeof code === 'string' && COUNTRY.test(code) ? code : null,
    city: text('city'),
    referrer: typeof referrer === 'string' ? keptReferrer(referrer) : null,
    utmSource: text('utm_source'),
    utmMedium: text('utm_medium'),
    utmCampaign: text('utm_campaign'),
    variant: null,
    botName,
    redirectMs: isRedirectTime(ms) ? ms : NO_REDIRECT_MS,
    slot: false,
    signals: (isPreview ? SIGNALS.previewer : 0) | (isExempt ? SIGNALS.exempt : 0),
  };
}

/** Keeps the placeholder that replaced rare values during a flood of clicks. */
function keptReferrer(text: string): string | null {
  return text === OTHER_VALUES ? text : toReferrer(text);
}

function isRedirectTime(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) < NO_REDIRECT_MS;
}

/** Offset in the copied export, at a link or at the link's next click. */
interface ExportPosition {
  readonly offset: number;
  readonly row: number;
  /** Number of bytes of the link's clicks already read; absent at the start of a link. */
  readonly passed?: number;
}

interface LocatedLink extends LinkHead {
  readonly row: number;
  readonly offset: number;
  readonly clicksAt: number;
  readonly item: number;
  readonly bytes: Buffer;
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
      const from = position ?? { offset: copy.start, row: firstRow };
      for await (const found of linksFrom(copy, from)) {
        const { row } = found;
        const item = parseItem(found);
        const clicks = copy.head.hasClicks ? found.clickCount : null;
        const links = async () => [
          typeof item === 'string' ? { row, problem: item } : await linkOfItem(row, item, clicks),
        ];
        rows.push(...(await rowsOrProblem(row, links)));
        bytes += found.item;
        if (rows.length < MAX_PAGE_ROWS && bytes < MAX_PAGE_BYTES) continue;
        const next: ExportPosition = { offset: clicksEnd(found), row: row + 1 };
        return { rows, nextRow: row + 1, next };
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

async function readExportVisits(copy: Copy, position: ExportPosition | null): Promise<VisitPage> {
  const visits: FoundVisit[] = [];
  let passed = position?.passed ?? 0;
  for await (const found of linksFrom(copy, position ?? { offset: copy.start, row: 1 })) {
    const { row, offset, clicks, clicksAt } = found;
    const line = parseItem(found);
    const item = typeof line === 'string' ? null : line;
    const about = { row, alias: itemAlias(item), countsBots: item?.count_bots !== false };
    if (clicks > 0) {
      const { file, head } = copy;
      const lines = splitLines(readChunks(file, clicksAt + passed, clicksAt + clicks));
      for await (const line of lines) {
        passed += line.length;
        visits.push(visitOfLine(line, about, head.id));
        if (visits.length >= MAX_PAGE_VISITS) {
          const next: ExportPosition = { offset, row, passed };
          return { visits, next };
        }
      }
    }
    passed = 0;
  }
  return { visits, next: null };
}

function itemAlias(item: ExportedItem | null): string {
  return typeof item?.alias === 'string' ? item.alias : '';
}

interface Copy {
  readonly file: FileHandle;
  readonly head: ExportHead;
  readonly start: number;
}

async function withCopy<T>(dataImport: Import, use: (copy: Copy) => Promise<T>): Promise<T> {
  const path = importFilePath(dataImport);
  if (!(await isZipFile(path))) throw new ImportFormatError('not a ZIP file');
  const file = await open(await exportedLinks(path, dataImport.copies), 'r');
  try {
    const bytes = await readChunk(file, 0, EXPORT_CHUNK_BYTES);
    const end = bytes.indexOf(END);
    const head = JSON.parse(bytes.toString('utf8', 0, end)) as ExportHead;
    return await use({ file, head, start: end + 1 });
  } finally {
    await file.close();
  }
}

async function* linksFrom(
  { file }: Copy,
  { offset: from, row: firstRow }: ExportPosition,
): AsyncGenerator<LocatedLink> {
  const { size } = await file.stat();
  let row = firstRow;
  for (let offset = from; offset < size; row++) {
    const chunk = await readChunk(file, offset, EXPORT_CHUNK_BYTES);
    const end = chunk.indexOf(END);
    const head = JSON.parse(chunk.toString('utf8', 0, end)) as LinkHead;
    const itemAt = offset + end + 1;
    const isWhole = end + 1 + head.item <= chunk.length;
    const bytes = isWhole
      ? chunk.subarray(end + 1, end + 1 + head.item)
      : await readChunk(file, itemAt, head.item);
    const found = { ...head, row, offset, clicksAt: itemAt + head.item + 1, bytes };
    yield found;
    offset = clicksEnd(found);
  }
}

function clicksEnd({ clicksAt, clicks }: LocatedLink): number {
  return clicksAt + clicks;
}

async function* readChunks(file: FileHandle, from: number, to: number): AsyncGenerator<Buffer> {
  for (let at = from; at < to; at += EXPORT_CHUNK_BYTES)
    yield readChunk(file, at, Math.min(EXPORT_CHUNK_BYTES, to - at));
}

async function readChunk(file: FileHandle, at: number, count: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(count), 0, count, at);
  return buffer.subarray(0, bytesRead);
}
