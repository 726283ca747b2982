import { isMobileSystem, mobileFamily } from '../../infrastructure/user-agent/browser-family';
import type { ChunkColumns, ValueColumn } from '../../clicks/store/codec/chunk-columns';
import { constantPerVisitor, wordsOf } from '../../clicks/store/codec/visitor-order';
import { DIMENSIONS, STORED_DIMENSIONS, type StoredDimension } from '../dimensions';
import type { InternedColumn, StringInterner } from './string-interner';

/**
 * Clicks ready to be counted: a decoded chunk, or several, whose values are numbers of the
 * interner. Rows are grouped by visitor, visitors ascend. Never changed once made.
 */
export interface Segment {
  readonly n: number;
  readonly from: number;
  readonly to: number;
  readonly at: Float64Array;
  readonly redirectMs: Uint32Array;
  /** Hashes of the visitors, three words each. */
  readonly visitors: Uint32Array;
  readonly visitorRows: Uint32Array;
  readonly columns: Readonly<Record<InternedColumn, Uint32Array>>;
  /** Columns known never to change within a visitor: one look at each visitor counts them. */
  readonly constantPerVisitor?: ReadonlySet<InternedColumn>;
}

/** Interns a decoded chunk; takes its columns over, so the chunk must not be used any more. */
export function toSegment(linkId: string, chunk: ChunkColumns, interner: StringInterner): Segment {
  const { n, from, to, at, redirectMs, visitors, visitorRows } = chunk;
  const { ids } = chunk.columns.country;
  const codes = { values: chunk.countryCodes, ids: Uint32Array.from(ids) };
  const columns = {
    country_code: interned(codes, 'country_code', interner),
    link: new Uint32Array(n).fill(interner.of('link').intern(linkId)),
  } as Record<InternedColumn, Uint32Array>;
  const stored = { ...chunk.columns, browser: withMobileFamilies(chunk.columns) };
  for (const name of STORED_DIMENSIONS) {
    columns[name] = interned(stored[DIMENSIONS[name].column], name, interner);
  }
  return { n, from, to, at, redirectMs, visitors: wordsOf(visitors), visitorRows, columns };
}

/**
 * Earlier releases named browsers of phones as those of desktops (`Chrome` for `Mobile Chrome`);
 * here they get the name that clicks have now, so that both count together.
 */
function withMobileFamilies({ browser, os }: ChunkColumns['columns']): ValueColumn {
  const isMobile = os.values.map(isMobileSystem);
  const values = [...browser.values];
  const mobileIds = browser.values.map((value, id) => {
    const family = value === null ? null : mobileFamily(value);
    return family === value ? id : values.push(family) - 1;
  });
  if (values.length === browser.values.length || !isMobile.includes(true)) return browser;
  const ids = browser.ids.map((id, row) => {
    return isMobile[os.ids[row] ?? 0] === true ? (mobileIds[id] ?? id) : id;
  });
  return { values, ids };
}

/** The columns that never change within a visitor, as browser, system and mostly place do not. */
export function constantColumns({ columns, visitorRows }: Segment): Set<InternedColumn> {
  const names = Object.keys(columns) as InternedColumn[];
  return new Set(names.filter((name) => constantPerVisitor(columns[name], visitorRows)));
}

/** Memory that a segment takes, in bytes. */
export function segmentBytes(segment: Segment): number {
  const perRow = 8 + 4 + 4 * Object.keys(segment.columns).length;
  return 500 + segment.n * perRow + segment.visitors.byteLength + segment.visitorRows.byteLength;
}

function interned(
  column: { values: readonly (string | null)[]; ids: Uint32Array },
  name: StoredDimension | 'country_code',
  interner: StringInterner,
): Uint32Array {
  const strings = interner.of(name);
  const numbers = Uint32Array.from(column.values, (value) => strings.intern(value));
  const { ids } = column;
  for (let row = 0; row < ids.length; row += 1) ids[row] = numbers[ids[row] ?? 0] ?? 0;
  return ids;
}
