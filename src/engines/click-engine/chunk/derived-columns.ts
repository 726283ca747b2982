import { AUDIENCE_CLASSES, audienceClass, SIGNALS } from './click';
import type { ChunkDimension, SelectedColumn } from './chunk-columns';
import type { TextTable } from './text-table';
import { constantPerVisitor } from './visitor-order';

/** Columns that are not stored, but computed when a chunk is read. */
export const DERIVED_COLUMNS = ['audience', 'trigger'] as const;
type DerivedColumn = (typeof DERIVED_COLUMNS)[number];

export type ReadableColumn = ChunkDimension | DerivedColumn;

/** Value of `trigger` for clicks through a QR code; other clicks have no value. */
const QR_CODE = 'qr';

interface Stored {
  readonly bots: SelectedColumn | undefined;
  /** Null if all signals are 0. */
  readonly signals: Uint32Array | null;
  readonly visitorRows: Uint32Array;
}

export function derivedColumn(
  name: DerivedColumn,
  stored: Stored,
  texts: TextTable,
): SelectedColumn {
  const labels = name === 'audience' ? AUDIENCE_CLASSES : [null, QR_CODE];
  const values = Uint32Array.from(labels, (label) => texts.numberOfText(label));
  const { ids, perVisitor } = name === 'audience' ? classes(stored) : triggers(stored);
  return { values, seconds: null, ids, perVisitor };
}

type Ids = Pick<SelectedColumn, 'ids' | 'perVisitor'>;

const CLASS_NUMBERS = { human: 0, preview: 1, bot: 2 } as const;

function classes({ bots, signals, visitorRows }: Stored): Ids {
  const isBot = (place: number): boolean =>
    bots !== undefined && bots.values[bots.ids[place] ?? 0] !== 0;
  const count = visitorRows.length - 1;
  const classNumber = (visitor: number, row: number): number => {
    const named = isBot(bots?.perVisitor === true ? visitor : row);
    return CLASS_NUMBERS[audienceClass(signals?.[row] ?? 0, named)];
  };
  if (signals === null && bots?.perVisitor !== false) {
    return {
      ids: Uint8Array.from({ length: count }, (_, visitor) => classNumber(visitor, 0)),
      perVisitor: true,
    };
  }
  return byRow(visitorRows, classNumber);
}

function triggers({ signals, visitorRows }: Stored): Ids {
  if (signals === null) return { ids: new Uint8Array(0), perVisitor: true };
  return byRow(visitorRows, (_, row) => Number(((signals[row] ?? 0) & SIGNALS.qrCode) !== 0));
}

/** Returns one number per visitor if no visitor has several numbers. */
function byRow(visitorRows: Uint32Array, rowNumber: (visitor: number, row: number) => number): Ids {
  const visitors = visitorRows.length - 1;
  const ids = new Uint8Array(visitorRows[visitors] ?? 0);
  for (let visitor = 0; visitor < visitors; visitor += 1) {
    const end = visitorRows[visitor + 1] ?? 0;
    for (let row = visitorRows[visitor] ?? 0; row < end; row += 1)
      ids[row] = rowNumber(visitor, row);
  }
  if (!constantPerVisitor(ids, visitorRows)) return { ids, perVisitor: false };
  const first = Uint8Array.from({ length: visitors }, (_, v) => ids[visitorRows[v] ?? 0] ?? 0);
  return { ids: first, perVisitor: true };
}
