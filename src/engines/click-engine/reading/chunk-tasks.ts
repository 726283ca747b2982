import type { KeyedChunks } from './click-reader';
import type { SourceChunk } from './segment-reader';
import type { ColumnStrings } from './string-interner';

/** So many clicks make a task of their own; small chunks are read together. */
const CLICKS_A_TASK = 100_000;

/** Numbers what is read. */
export interface ChunkSources {
  /** @param link the link's number */
  number(chunks: KeyedChunks, link: number): number;
}

/** Chunks as they are read, in tasks of some megabytes or less, with the numbers of their sources. */
export async function* chunkTasks(
  batches: AsyncIterable<KeyedChunks[]>,
  links: ColumnStrings,
  sources: ChunkSources,
): AsyncGenerator<SourceChunk[]> {
  for await (const batch of batches) {
    let task: SourceChunk[] = [];
    let clicks = 0;
    for (const keyed of batch) {
      const source = sources.number(keyed, links.intern(keyed.linkId));
      for (const chunk of keyed.chunks) {
        task.push({ source, ...chunk });
        clicks += chunk.n;
      }
      if (clicks < CLICKS_A_TASK) continue;
      yield task;
      task = [];
      clicks = 0;
    }
    if (task.length > 0) yield task;
  }
}
