import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { clicksOfColumns } from '../../test/support/shared/clicks-of-columns';
import { type DecodedJournal, decodeJournal } from './journal/journal.format';
import type { Click } from '../engines/click-engine/chunk/click';
import { decodeChunk, encodeColumns } from '../engines/click-engine/chunk/chunk';
import { mergeChunks } from '../engines/click-engine/chunk/merge-chunks';

/** Files written by releases, with their expected content. Do not regenerate these files. */
const FORMATS = join(__dirname, '../../test/fixtures/formats');

const read = (version: string, file: string) => readFileSync(join(FORMATS, version, file));
const json = (version: string, file: string) =>
  JSON.parse(read(version, file).toString()) as unknown;

/** Defaults for fields that older files do not contain. */
const LATER_FIELDS = { variant: null, signals: 0 };

function expectedClicks(version: string, chunk: string): Click[] {
  const name = chunk.replace('.chunk', '.json');
  const { fields, clicks } = json(version, name) as { fields: string[]; clicks: unknown[][] };
  return clicks.map((values) => ({
    ...LATER_FIELDS,
    ...Object.fromEntries(values.map((value, i) => [fields[i], value])),
  }));
}

const chunks = ['v2'].flatMap((version) =>
  readdirSync(join(FORMATS, version))
    .filter((name) => name.endsWith('.chunk'))
    .map((name) => [version, name] as const),
);

describe('A file from an earlier release', () => {
  it('is read: the journal of version 1, with damaged lines and an incomplete end', () => {
    const { events, ...rest } = json('v1', 'journal.json') as DecodedJournal;
    const expected = events.map((event) => ({ ...event, flags: 0, variant: '' }));
    expect(decodeJournal(read('v1', 'journal.sealed'))).toEqual({ ...rest, events: expected });
  });

  it('is read: the journal of version 2, with damaged lines and an incomplete end', () => {
    expect(decodeJournal(read('v2', 'journal.sealed'))).toEqual(json('v2', 'journal.json'));
  });

  it('exists for every version of a chunk', () => {
    expect(chunks.length).toBeGreaterThanOrEqual(4);
  });

  it.each(chunks)('is read: chunk %s/%s', (version, name) => {
    const data = read(version, name);
    expect(data[0]).toBe(Number(version.slice(1)));
    const expected = expectedClicks(version, name);
    expect([...clicksOfColumns(decodeChunk(data, expected.length))]).toEqual(expected);
  });

  it.each(chunks)('stays unchanged after it is read and written: chunk %s/%s', (version, name) => {
    const again = encodeColumns(decodeChunk(read(version, name)));
    expect([...clicksOfColumns(decodeChunk(again))]).toEqual(expectedClicks(version, name));
  });

  it('can be merged with files of other versions', () => {
    const merged = mergeChunks(chunks.map(([version, name]) => decodeChunk(read(version, name))));
    const sorted = (clicks: Iterable<Click>) =>
      [...clicks].map((click) => JSON.stringify(Object.entries(click).sort())).sort();
    expect(sorted(clicksOfColumns(decodeChunk(encodeColumns(merged))))).toEqual(
      sorted(chunks.flatMap(([version, name]) => expectedClicks(version, name))),
    );
  });
});
