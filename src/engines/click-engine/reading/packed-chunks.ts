import type { SourceChunk } from './segment-reader';

/** Few arrays: passing chunks to a thread one by one takes ten times as long. */
export interface PackedChunks {
  readonly sources: Uint32Array;
  readonly counts: Uint32Array;
  /** Chunk `i` is `bytes` from `ends[i - 1]` to `ends[i]`, exclusive. */
  readonly ends: Uint32Array;
  readonly bytes: Uint8Array;
}

/** Returns a copy whose memory can be transferred. */
export function packed(chunks: readonly SourceChunk[]): PackedChunks {
  const ends = new Uint32Array(chunks.length);
  let end = 0;
  chunks.forEach(({ data }, i) => {
    end += data.length;
    ends[i] = end;
  });
  const bytes = new Uint8Array(end);
  chunks.forEach(({ data }, i) => bytes.set(data, (ends[i] ?? 0) - data.length));
  return {
    sources: Uint32Array.from(chunks, ({ source }) => source),
    counts: Uint32Array.from(chunks, ({ n }) => n),
    ends,
    bytes,
  };
}

export function packedBuffers({ sources, counts, ends, bytes }: PackedChunks): ArrayBuffer[] {
  return [sources, counts, ends, bytes].map(({ buffer }) => buffer as ArrayBuffer);
}

export function* unpacked({ sources, counts, ends, bytes }: PackedChunks): Generator<SourceChunk> {
  const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let i = 0; i < ends.length; i += 1) {
    const data = all.subarray(i === 0 ? 0 : ends[i - 1], ends[i]);
    yield { source: sources[i] ?? 0, n: counts[i] ?? 0, data };
  }
}
