import type { SourceChunk } from './segment-reader';

/** Many chunks in few arrays; transferring chunks one by one to a thread is ten times slower. */
export interface PackedChunks {
  readonly sources: Uint32Array;
  readonly counts: Uint32Array;
  /** Chunk `i` consists of `bytes` from `ends[i - 1]` up to but excluding `ends[i]`. */
  readonly ends: Uint32Array;
  readonly bytes: Uint8Array;
}

/** Copies the chunks into memory that can be transferred to another thread. */
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
