import type { KeyedChunks } from './click-reader';
import type { SourceChunk } from './segment-reader';
import type { ColumnStrings } from './string-interner';

/** Small chunks are grouped into tasks of about this many clicks. */
const CLICKS_A_TASK = 100_000;

export interface ChunkSources {
  number(chunks: KeyedChunks, link: number): number;
}

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
