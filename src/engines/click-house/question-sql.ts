import { queryBuckets } from '../click-engine/counting/counting-question';
import { AUDIENCE_CLASSES, NO_REDIRECT_MS, SIGNALS } from '../click-engine/chunk/click';
import type { LinkMarks } from '../click-engine/counting/source-marks';
import {
  type Dimension,
  DIMENSIONS,
  shownValues,
  type StatisticsQuery,
  STORED_DIMENSIONS,
  type StoredDimension,
} from '../click-engine/query/statistics-query';
import { quotedText } from './click-house';

/** A node's last complete batch number. */
export interface CompleteBatches {
  readonly node: number;
  readonly number: number;
}

const FALSE_CONDITION = '0';
const MAX_QUANTA = 500_000;
const DAY_MS = 86_400_000;
/** Candidate bucket widths; usually, all bucket starts are multiples of one of these durations. */
const QUANTA = [DAY_MS, 3_600_000, 1_800_000, 900_000, 60_000, 1000];

export interface CountedRows {
  readonly table: string;
  readonly condition: string;
  /** Counting eight of the twelve bytes is four times faster, but exact only if they differ. */
  readonly visitor: 'visitor' | typeof WHOLE_VISITOR;
  /** Whether the rows include clicks without a visitor (NO_VISITOR). */
  readonly hasVisitorless: boolean;
}

export const WHOLE_VISITOR = 'visitor, visitor_rest';
const IS_VISITORLESS = '(visitor = 0 AND visitor_rest = 0)';

export function rowCondition(
  { start, end, audience = 'all', filters }: StatisticsQuery,
  linkIds: readonly string[],
  batches: readonly CompleteBatches[],
  deleted: ReadonlyMap<string, number> = new Map(),
): string {
  const conditions = [
    linkCondition(linkIds),
    ...keptCondition(deleted),
    `at >= ${Math.max(0, start)} AND at <= ${Math.max(0, end)}`,
    batchesCondition(batches),
    ...STORED_DIMENSIONS.flatMap((name) => {
      const values = filters[name];
      return values === undefined ? [] : [filterCondition(name, values)];
    }),
  ];
  if (audience !== 'all') conditions.push(filterCondition('audience', [audience]));
  if (end < 0) conditions.push(FALSE_CONDITION);
  return conditions.join(' AND ');
}

export function batchesCondition(batches: readonly CompleteBatches[]): string {
  return anyCondition(batches.map(({ node, number }) => `(node = ${node} AND batch <= ${number})`));
}

function linkCondition(ids: readonly string[]): string {
  if (ids.length === 0) return FALSE_CONDITION;
  if (ids.length === 1) return `link = ${quotedText(ids[0] ?? '')}`;
  // ClickHouse parses a single string faster than a list of many expressions.
  return `link IN (SELECT toFixedString(arrayJoin(${texts(ids)}), 24))`;
}

/** @param deleted by link id, in milliseconds: rows up to this time are omitted */
export function keptCondition(deleted: ReadonlyMap<string, number>): string[] {
  if (deleted.size === 0) return [];
  const first = [...deleted.values()].map((since) => since + 1);
  return [`at >= transform(toString(link), ${texts([...deleted.keys()])}, [${first.join()}], 0)`];
}

function filterCondition(name: StoredDimension, values: readonly string[]): string {
  const { missing } = DIMENSIONS[name];
  // The empty string means a missing value and is never a click's value.
  const own = values.filter((value) => value !== '');
  if (name === 'audience' || name === 'trigger') return inCondition(labelExpression(name), own);
  const either = [inCondition(name, own)];
  if (missing !== null && values.includes(missing)) either.push(`${name} = ''`);
  if (name === 'country') either.push(inCondition('country_code', own));
  return anyCondition(either);
}

function inCondition(expression: string, values: readonly string[]): string {
  if (values.length === 0) return FALSE_CONDITION;
  return `${expression} IN (${values.map(quotedText).join(', ')})`;
}

function anyCondition(conditions: readonly string[]): string {
  return conditions.length === 0 ? FALSE_CONDITION : `(${conditions.join(' OR ')})`;
}

function labelExpression(name: StoredDimension): string {
  const { missing } = DIMENSIONS[name];
  if (name === 'audience') {
    const [human, preview, bot] = AUDIENCE_CLASSES.map(quotedText);
    const bits = SIGNALS.prefetch | SIGNALS.previewer;
    return `multiIf(bitAnd(signals, ${bits}) != 0, ${preview}, bot = '', ${human}, ${bot})`;
  }
  if (name === 'trigger') {
    return `if(bitAnd(signals, ${SIGNALS.qrCode}) != 0, 'qr', ${quotedText(missing ?? '')})`;
  }
  return missing === null ? name : `if(${name} = '', ${quotedText(missing)}, toString(${name}))`;
}

export type ReadRows = Pick<CountedRows, 'condition' | 'table'>;

/** Sums over all rows; the result has one row even if no clicks match. */
export function summarySql({ table, condition }: ReadRows): string {
  const isTimed = `redirect_ms != ${NO_REDIRECT_MS}`;
  return (
    `SELECT count(), min(at), max(at), sumIf(redirect_ms, ${isTimed}), countIf(NOT (${isTimed})) ` +
    `FROM ${table} WHERE ${condition}`
  );
}

/** Also detects visitors that share their first eight bytes, and clicks without a visitor. */
export function visitorsSql({ table, condition }: ReadRows): string {
  return (
    'SELECT countIf(NOT (visitor = 0 AND lowest = 0)), sum(lowest != highest), ' +
    'sumIf(rows, visitor = 0 AND lowest = 0) FROM (' +
    'SELECT visitor, min(visitor_rest) AS lowest, max(visitor_rest) AS highest, count() AS rows ' +
    `FROM ${table} WHERE ${condition} GROUP BY visitor)`
  );
}

export function wholeVisitorsSql({ table, condition }: ReadRows): string {
  return (
    `SELECT uniqExactIf(${WHOLE_VISITOR}, NOT ${IS_VISITORLESS}), countIf${IS_VISITORLESS} ` +
    `FROM ${table} WHERE ${condition}`
  );
}

export function lastClickSql({ table, condition }: ReadRows, at: number): string {
  const shown = (['browser', 'os', 'country'] as const).map(labelExpression).join(', ');
  return `SELECT ${shown} FROM ${table} WHERE ${condition} AND at = ${at} LIMIT 1`;
}

/** Counts clicks and visitors by value, largest first; totals include values beyond `rows`. */
export function listSql(
  counted: CountedRows,
  name: StoredDimension,
  query: StatisticsQuery,
  rows: number,
): string {
  const { condition } = counted;
  const labelled = name === 'bot' ? `${condition} AND bot != ''` : condition;
  const values = countedBy({ ...counted, condition: labelled }, listLabel(query, name));
  const shown = query.underscored?.includes(name)
    ? "replaceAll(toString(label), '.', '_')"
    : 'toString(label)';
  const limit = Number.isFinite(rows) ? ` LIMIT ${Math.max(1, rows)}` : '';
  return (
    `SELECT ${shown} AS shown, sum(c) AS clicks, sum(v) AS visitors FROM (${values}) ` +
    `GROUP BY shown WITH TOTALS ORDER BY clicks DESC, ${inOrderOfTexts('shown')}${limit}`
  );
}

/** Merges values before visitors are counted, so that a visitor counts once. */
function listLabel(query: StatisticsQuery, name: StoredDimension): string {
  const shown = shownValues(query, name);
  if (shown === undefined) return labelExpression(name);
  const label = `toString(${labelExpression(name)})`;
  return `transform(${label}, ${texts([...shown.keys()])}, ${texts([...shown.values()])}, ${label})`;
}

/** Sort key that orders strings by UTF-16 code unit, as JavaScript does. */
function inOrderOfTexts(text: string): string {
  // UTF-8 sorts U+E000 to U+FFFF (lead bytes EE and EF) before supplementary characters.
  return `replaceAll(replaceAll(${text}, '\\xEE', '\\xFE'), '\\xEF', '\\xFF')`;
}

export function linksSql(counted: CountedRows): string {
  return countedBy(counted, 'toString(link)');
}

/** Counts clicks and visitors by the index of a mark's label; links without marks have 0. */
export function marksSql(
  counted: CountedRows,
  linkIds: readonly string[],
  marks: LinkMarks,
): string {
  const { starts, numbers } = marks.ofSources(linkIds);
  const sets = new Map<string, number>([['0', 1]]);
  const [ids, places]: [string[], number[]] = [[], []];
  linkIds.forEach((id, at) => {
    const own = numbers.subarray(starts[at], starts[at + 1]).join();
    if (own === '0') return;
    const place = sets.get(own) ?? sets.size + 1;
    sets.set(own, place);
    ids.push(id);
    places.push(place);
  });
  const all = `[${[...sets.keys()].map((own) => `[${own}]`).join()}]`;
  const place =
    ids.length === 0 ? '1' : `transform(toString(link), ${texts(ids)}, [${places.join()}], 1)`;
  return countedBy(counted, `arrayJoin(arrayElement(${all}, ${place}))`);
}

export function timeSql(counted: CountedRows, query: StatisticsQuery): string {
  const { starts } = queryBuckets(query);
  const start = Math.max(0, query.start);
  const quantum = QUANTA.find((ms) => starts.every((at, i) => i === 0 || at % ms === 0));
  const first = Math.floor(start / (quantum ?? 1));
  const count = Math.floor(query.end / (quantum ?? 1)) - first + 1;
  if (quantum === undefined || count > MAX_QUANTA) {
    const later = [...starts].slice(1);
    const number = later.length === 0 ? '0' : `arrayCount(s -> s <= at, [${later.join()}])`;
    return countedBy(counted, `toUInt32(${number})`);
  }
  const numbers: number[] = [];
  let bucket = 0;
  for (let at = first; at < first + count; at += 1) {
    while (at * quantum >= (starts[bucket + 1] ?? Infinity)) bucket += 1;
    numbers.push(bucket);
  }
  const place = `toUInt32(intDiv(at, ${quantum}) - ${first} + 1)`;
  return countedBy(counted, `arrayElement([${numbers.join()}], ${place})`);
}

function countedBy(
  { table, condition, visitor, hasVisitorless }: CountedRows,
  label: string,
): string {
  const distinct = hasVisitorless
    ? `uniqExactIf(${visitor}, NOT ${IS_VISITORLESS})`
    : `uniqExact(${visitor})`;
  return (
    `SELECT ${label} AS label, count() AS c, ${distinct} AS v ` +
    `FROM ${table} WHERE ${condition} GROUP BY label`
  );
}

function texts(all: readonly string[]): string {
  return `[${all.map(quotedText).join()}]`;
}

export function isStoredDimension(name: Dimension): name is StoredDimension {
  return DIMENSIONS[name].column !== null;
}
