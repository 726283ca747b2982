import { decodeChunk } from '../../engines/click-engine/chunk/chunk';
import {
  CHUNK_DIMENSIONS,
  type ChunkColumns,
  columnsOfClicks,
  VISITOR_BYTES,
} from '../../engines/click-engine/chunk/chunk-columns';
import type { Click } from '../../engines/click-engine/chunk/click';
import type { ClickStoreState } from '../../engines/click-engine/query/chunk-source';
import type { LinkClicks } from '../../engines/click-house/click-rows';
import type { ClickHouseOptions } from '../../engines/click-house/click-house';
import type { StoredRows } from '../../engines/click-house/stored-rows';
import type { StoredClicksRepository } from './stored-clicks.repository';

const BLOCKS_A_READ = 8;
/** Maximum reads of a link whose blocks compaction replaces in the meantime. */
const MAX_READS = 5;

/** Reads the recorded clicks of links, from click stores or ClickHouse. */
export class RecordedClicks {
  private rows?: Promise<StoredRows>;

  private repository?: StoredClicksRepository;

  /** @param open called by the first read, once the database is connected */
  constructor(
    private readonly open: () => StoredClicksRepository,
    private readonly clickHouse: ClickHouseOptions | null,
  ) {}

  private get stored(): StoredClicksRepository {
    return (this.repository ??= this.open());
  }

  /** Yields the links that have clicks, in the given order. */
  async *byLink(linkIds: readonly string[]): AsyncGenerator<LinkClicks> {
    if (this.clickHouse !== null) {
      yield* this.rowsByLink(linkIds, await this.openRows(this.clickHouse));
      return;
    }
    const states = byId(await this.stored.stores(linkIds));
    for (const linkId of linkIds) {
      const state = states.get(linkId);
      if (state !== undefined) yield { linkId, chunks: await this.chunksOf(state) };
    }
  }

  private async chunksOf(found: ClickStoreState): Promise<ChunkColumns[]> {
    const { linkId } = found;
    let state: ClickStoreState | undefined = found;
    for (let reads = 1; state !== undefined; reads++) {
      const chunks: ChunkColumns[] = (state.inlineChunks.data ?? []).map((data) =>
        decodeChunk(data),
      );
      const wanted = state.blocks.map(({ id }) => id);
      for (let at = 0; at < wanted.length; at += BLOCKS_A_READ) {
        const blocks = await this.stored.blocks(wanted.slice(at, at + BLOCKS_A_READ));
        for (const data of blocks.values()) chunks.push(decodeChunk(data));
      }
      if (chunks.length === wanted.length + state.inlineChunks.n.length) return chunks;
      if (reads === MAX_READS) throw new Error(`Blocks of link ${linkId} are missing`);
      [state] = await this.stored.stores([linkId]);
    }
    return [];
  }

  private async *rowsByLink(
    linkIds: readonly string[],
    rows: StoredRows,
  ): AsyncGenerator<LinkClicks> {
    const { ROWS_PER_READ } = await import('../../engines/click-house/stored-rows.js');
    const states = await this.stored.heads(linkIds);
    const totals = byId(states);
    const deleted = new Map(
      states.flatMap(({ linkId, since }) => (since === undefined ? [] : [[linkId, since]])),
    );
    for (let at = 0; at < linkIds.length;) {
      const group: string[] = [];
      let clicks = 0;
      for (; at < linkIds.length; at++) {
        const id = linkIds[at] ?? '';
        const total = totals.get(id)?.total ?? 0;
        if (group.length > 0 && clicks + total > ROWS_PER_READ) break;
        if (total > 0) group.push(id);
        clicks += total;
      }
      const [only = ''] = group;
      if (clicks > ROWS_PER_READ) {
        const chunks: ChunkColumns[] = [];
        for await (const page of rows.clicksOf(only, deleted)) chunks.push(columnsOfClicks(page));
        if (chunks.length > 0) yield { linkId: only, chunks };
      } else if (group.length > 0) {
        const found = await rows.clicksByLink(group, deleted);
        for (const linkId of group) {
          const page = found.get(linkId);
          if (page !== undefined) yield { linkId, chunks: [columnsOfClicks(page)] };
        }
      }
    }
  }

  private openRows(options: ClickHouseOptions): Promise<StoredRows> {
    this.rows ??= openStoredRows(options);
    return this.rows;
  }
}

/** Loaded on demand, because only installations with ClickHouse need the client. */
async function openStoredRows(options: ClickHouseOptions): Promise<StoredRows> {
  const [{ ClickHouse }, { ClickTable }, { StoredRows: Rows }] = await Promise.all([
    import('../../engines/click-house/click-house.js'),
    import('../../engines/click-house/click-table.js'),
    import('../../engines/click-house/stored-rows.js'),
  ]);
  return new Rows(new ClickTable(new ClickHouse(options)));
}

function byId(states: readonly ClickStoreState[]): Map<string, ClickStoreState> {
  return new Map(states.map((state) => [state.linkId, state]));
}

/** Yields the clicks of all chunks by time. */
export function* clicksByTime(chunks: readonly ChunkColumns[]): Generator<Click> {
  const n = chunks.reduce((sum, chunk) => sum + chunk.n, 0);
  const [at, place] = [new Float64Array(n), new Uint32Array(n)];
  const [chunkOf, visitorOf] = [new Uint32Array(n), new Uint32Array(n)];
  let next = 0;
  for (const [number, chunk] of chunks.entries()) {
    let visitor = 0;
    for (let row = 0; row < chunk.n; row++, next++) {
      if (row >= (chunk.visitorRows[visitor + 1] ?? Infinity)) visitor++;
      at[next] = chunk.at[row] ?? 0;
      place[next] = row;
      chunkOf[next] = number;
      visitorOf[next] = visitor;
    }
  }
  const order = Uint32Array.from({ length: n }, (_, i) => i);
  order.sort((a, b) => (at[a] ?? 0) - (at[b] ?? 0));
  for (const i of order) {
    const chunk = chunks[chunkOf[i] ?? 0];
    if (chunk !== undefined) yield clickAt(chunk, place[i] ?? 0, visitorOf[i] ?? 0);
  }
}

function clickAt(chunk: ChunkColumns, row: number, visitor: number): Click {
  const { at, redirectMs, slot, signals, visitors, columns, countryCodes } = chunk;
  const from = visitor * VISITOR_BYTES;
  const values = CHUNK_DIMENSIONS.map((name) => {
    const { values, ids } = columns[name];
    return [name, values[ids[row] ?? 0] ?? null];
  });
  return {
    ...(Object.fromEntries(values) as Pick<Click, (typeof CHUNK_DIMENSIONS)[number]>),
    at: at[row] ?? 0,
    visitor: Buffer.from(visitors.subarray(from, from + VISITOR_BYTES)).toString('hex'),
    countryCode: countryCodes[columns.country.ids[row] ?? 0] ?? null,
    redirectMs: redirectMs[row] ?? 0,
    slot: slot[row] === 1,
    signals: signals[row] ?? 0,
  };
}
