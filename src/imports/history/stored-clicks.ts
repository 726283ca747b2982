import { decodeChunk } from '../../engines/click-engine/chunk/chunk';
import {
  CHUNK_DIMENSIONS,
  type ChunkColumns,
  type ChunkDimension,
  VISITOR_BYTES,
} from '../../engines/click-engine/chunk/chunk-columns';
import type { ChunkSource } from '../../engines/click-engine/chunk-source';
import type { Click } from '../../engines/click-engine/click';
import { BlockGoneError } from '../../engines/click-engine/reading/click-reader';

export type StoredClick = Pick<Click, 'at' | 'countryCode' | 'signals' | 'visitor'> &
  Readonly<Record<ChunkDimension, string | null>>;

export async function* storedClicks(
  source: ChunkSource,
  linkId: string,
): AsyncGenerator<StoredClick[]> {
  const [store] = await source.stores([linkId]);
  for (const data of store?.inlineChunks.data ?? []) yield clicksOfChunk(decodeChunk(data));
  for (const { id } of store?.blocks ?? []) {
    const data = (await source.blocks([id])).get(id);
    if (data === undefined) throw new BlockGoneError();
    yield clicksOfChunk(decodeChunk(data));
  }
}

function clicksOfChunk(chunk: ChunkColumns): StoredClick[] {
  const visitors = Buffer.from(chunk.visitors).toString('hex');
  let place = 0;
  return Array.from(chunk.at, (at, row) => {
    while (row >= (chunk.visitorRows[place + 1] ?? Infinity)) place++;
    const start = place * VISITOR_BYTES * 2;
    const values = CHUNK_DIMENSIONS.map((name) => {
      const { ids, values } = chunk.columns[name];
      return [name, values[ids[row] ?? 0] ?? null] as const;
    });
    return {
      ...(Object.fromEntries(values) as Record<ChunkDimension, string | null>),
      ...{ at, signals: chunk.signals[row] ?? 0 },
      visitor: visitors.slice(start, start + VISITOR_BYTES * 2),
      countryCode: chunk.countryCodes[chunk.columns.country.ids[row] ?? 0] ?? null,
    };
  });
}
