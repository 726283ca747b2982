import { countNoun } from '../../common/plain-text';
import { isOpenClick } from '../../engines/click-engine/chunk/click';
import {
  binaryBytes,
  type ClickStoreRecord,
  STORED_NAMES,
  type StoredBlock,
  type StoredBlockRef,
  type StoredChunk,
} from '../store/click-store.schema';
import { decodeChunk } from '../../engines/click-engine/chunk/chunk';
import { ChunkVersionError } from '../../engines/click-engine/chunk/engine.errors';
import { type ChunkColumns } from '../../engines/click-engine/chunk/chunk-columns';

export interface Difference {
  linkId: string;
  /** Describes the difference and names the field or block. */
  what: string;
}

export function differs(linkId: string, field: string, stored: unknown, counted: unknown) {
  return {
    linkId,
    what: `${field} is ${formatStoredValue(stored)}, counted ${formatStoredValue(counted)}`,
  };
}

function formatStoredValue(value: unknown): string {
  return value instanceof Date ? value.toISOString() : String(value);
}

export interface ChunkTotals {
  n: number;
  open: number;
  from: number;
  to: number;
  bytes: number;
}

/** A click store's expected totals; first and last are null if there are no clicks. */
export interface ClickStoreTotals {
  total: number;
  open: number;
  first: number | null;
  last: number | null;
}

/** Null if the chunk is damaged. @throws ChunkVersionError if a later release wrote it */
export function readChunkTotals(data: Uint8Array): ChunkTotals | null {
  let chunk: ChunkColumns;
  try {
    chunk = decodeChunk(data);
  } catch (error) {
    if (error instanceof ChunkVersionError) throw error;
    return null;
  }
  const open = chunk.slot.reduce((sum, bit, row) => {
    const click = { slot: bit === 1, signals: chunk.signals[row] ?? 0 };
    return sum + Number(isOpenClick(click));
  }, 0);
  return {
    n: chunk.n,
    open,
    from: chunk.at.reduce((a, b) => Math.min(a, b)),
    to: chunk.at.reduce((a, b) => Math.max(a, b)),
    bytes: data.length,
  };
}

export function totalsOfChunks(chunks: readonly ChunkTotals[]): ClickStoreTotals {
  const empty = chunks.length === 0;
  return {
    total: chunks.reduce((sum, { n }) => sum + n, 0),
    open: chunks.reduce((sum, { open }) => sum + open, 0),
    first: empty ? null : chunks.reduce((least, { from }) => Math.min(least, from), Infinity),
    last: empty ? null : chunks.reduce((most, { to }) => Math.max(most, to), -Infinity),
  };
}

export interface ClickStoreFindings {
  differences: Difference[];
  counted: ClickStoreTotals;
  inlineChunks: StoredChunk[];
  blocks: StoredBlockRef[];
  /** Unreadable bytes, which are saved before they are removed. */
  damaged: Uint8Array[];
}

/** Reads one block at a time. @param others totals of the link's clicks in ClickHouse */
export async function checkClickStore(
  store: ClickStoreRecord,
  blockOf: (ref: StoredBlockRef) => Promise<StoredBlock | null>,
  others: readonly ChunkTotals[] = [],
): Promise<ClickStoreFindings> {
  const linkId = store._id.toHexString();
  const findings: ClickStoreFindings = {
    differences: [],
    counted: totalsOfChunks([]),
    inlineChunks: [],
    blocks: [],
    damaged: [],
  };
  const chunks: ChunkTotals[] = [...others];
  store.inlineChunks.forEach((stored, i) => {
    const bytes = binaryBytes(stored.data);
    const truth = readChunkTotals(bytes);
    const kept = compareChunk(findings, linkId, `inline chunk ${i}`, stored, truth);
    if (truth === null) findings.damaged.push(bytes);
    else chunks.push(truth);
    if (kept) findings.inlineChunks.push(kept);
  });
  for (const ref of store.blocks) {
    const name = `block ${ref.id.toHexString()}`;
    const block = await blockOf(ref);
    if (block === null) {
      findings.differences.push({
        linkId,
        what: `${name} with ${countNoun(ref.n, 'click')} is missing`,
      });
      continue;
    }
    const bytes = binaryBytes(block.data);
    const truth = readChunkTotals(bytes);
    const kept = compareChunk(findings, linkId, name, ref, truth);
    if (truth === null) findings.damaged.push(bytes);
    else chunks.push(truth);
    if (kept && truth) findings.blocks.push(judgeBytes(findings, linkId, name, kept, truth));
  }
  findings.counted = totalsOfChunks(chunks);
  compareTotals(findings, store, linkId);
  return findings;
}

function compareChunk<C extends { n: number; from: Date; to: Date }>(
  { differences }: ClickStoreFindings,
  linkId: string,
  name: string,
  stored: C,
  truth: ChunkTotals | null,
): C | null {
  if (truth === null) {
    differences.push({ linkId, what: `${name} with ${countNoun(stored.n, 'click')} is damaged` });
    return null;
  }
  const { n, from, to } = truth;
  if (stored.n !== n) differences.push(differs(linkId, `${name}: n`, stored.n, n));
  for (const [field, value] of [['from', from] as const, ['to', to] as const]) {
    if (Number(stored[field]) !== value) {
      differences.push(differs(linkId, `${name}: ${field}`, stored[field], new Date(value)));
    }
  }
  return { ...stored, n, from: new Date(from), to: new Date(to) };
}

function judgeBytes(
  { differences }: ClickStoreFindings,
  linkId: string,
  name: string,
  ref: StoredBlockRef,
  { bytes }: ChunkTotals,
): StoredBlockRef {
  if (ref.bytes !== bytes) differences.push(differs(linkId, `${name}: bytes`, ref.bytes, bytes));
  return { ...ref, bytes };
}

function compareTotals(
  { differences, counted, inlineChunks }: ClickStoreFindings,
  store: ClickStoreRecord,
  linkId: string,
): void {
  const expected = {
    total: counted.total,
    open: counted.open,
    first: counted.first,
    last: counted.last,
    inlineCount: inlineChunks.length,
    inlineBytes: inlineChunks.reduce((sum, { data }) => sum + binaryBytes(data).length, 0),
  };
  for (const [name, value] of Object.entries(expected)) {
    const field = name as keyof typeof expected;
    const stored = store[field];
    if ((stored === null ? null : Number(stored)) !== value) {
      const shown = stored instanceof Date && value !== null ? new Date(value) : value;
      differences.push(differs(linkId, `click store ${storedName(field)}`, stored, shown));
    }
  }
}

function storedName(field: keyof ClickStoreRecord): string {
  return field in STORED_NAMES ? STORED_NAMES[field as keyof typeof STORED_NAMES] : field;
}
