import { setImmediate as turn } from 'node:timers/promises';
import { Utf8Text } from '../../infrastructure/mongo/bson-fields';
import { NoteColumn, NoteReader, NoteSearch } from './note-column';

const ROWS = 3000;

describe('A column of notes', () => {
  beforeAll(() => jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask'] }));
  afterAll(() => jest.useRealTimers());

  it('finds the same rows before and after its chunks are compressed', async () => {
    const notes = new NoteColumn();
    for (let row = 0; row < ROWS; row += 2) {
      const bytes = Buffer.from(`note-${row}. é😀 ${'x'.repeat(99)}`);
      notes.append(row, new Utf8Text(bytes, 0, bytes.length));
    }
    const search = (text: string): number =>
      new NoteSearch(new NoteReader(notes), Buffer.from(text), ROWS).next(0);
    const found = () => [0, 1000, 1998, 2998].map((row) => search(`note-${row}. é😀 x`));
    const uncompressed = notes.bytes;
    expect(found()).toEqual([0, 1000, 1998, 2998]);
    jest.runOnlyPendingTimers();
    while (notes.bytes > uncompressed / 2) await turn();
    expect(found()).toEqual([0, 1000, 1998, 2998]);
    expect(search('note-1.')).toBe(ROWS);
  });
});
