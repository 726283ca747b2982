import { open } from 'node:fs/promises';
import { EventLoopPauses } from '../../../common/event-loop';
import { type DumpIndex, type DumpRow, rowsOfSegment } from './dump-index';
import type { SqlValue } from './sql-values';
import { FileWindow } from '../../reading/file-window';

export type NamedRow = ReadonlyMap<string, SqlValue>;

export interface DumpPosition {
  readonly segment: number;
  readonly offset: number;
}

export async function* dumpRows(
  path: string,
  index: DumpIndex,
  kind: string,
  from: DumpPosition | null,
): AsyncGenerator<{ row: DumpRow; named: NamedRow; position: DumpPosition }> {
  const file = await open(path, 'r');
  const pauses = new EventLoopPauses();
  try {
    for (const [place, segment] of index.segments.entries()) {
      if (segment.kind !== kind || place < (from?.segment ?? 0)) continue;
      const offset = place === from?.segment ? from.offset : segment.from;
      const window = new FileWindow((into, at) => file.read(into, 0, into.length, at), offset);
      for await (const row of rowsOfSegment(window, index, segment)) {
        const named = new Map(segment.columns.map((name, i) => [name, row.values?.[i] ?? null]));
        await pauses.whenDue();
        yield { row, named, position: { segment: place, offset: row.end } };
      }
    }
  } finally {
    await file.close();
  }
}
