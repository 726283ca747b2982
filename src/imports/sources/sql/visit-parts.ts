import { appendFile, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { unlessMissing } from '../../../common/unless-missing';
import { ANY_ROOM, CopyMeter } from '../../reading/plain-file';
import type { Dump, DumpIndex } from './dump-index';
import { dumpRows, type NamedRow } from './dump-rows';
import { copyLine } from './sql-values';

/** Dump bytes per part: fewer visits than in a page, so that each link is written once. */
const PART_BYTES = 1536 * 1024;
/** Each part has a write buffer. */
const MAX_PARTS = 1024;
const BUFFER_CHARACTERS = 32 * 1024;

export function countParts(index: DumpIndex, kind: string): number {
  const own = index.segments.filter((segment) => segment.kind === kind);
  const bytes = own.reduce((sum, { from, to }) => sum + to - from, 0);
  return Math.max(1, Math.min(MAX_PARTS, Math.ceil(bytes / PART_BYTES)));
}

/** Groups visits by link: in chronological order, each page would write to many links. */
export async function partOfDump(
  dump: Dump,
  part: number,
  kind: string,
  keyOf: (row: NamedRow) => string,
  room = ANY_ROOM,
): Promise<Dump> {
  const folder = `${dump.path}.parts`;
  const path = join(folder, String(part));
  const stats = await stat(path).catch(unlessMissing);
  if (stats === undefined) await divide(dump, folder, kind, keyOf, new CopyMeter(room));
  const { size: to } = stats ?? (await stat(path));
  const columns = kindColumns(dump.index, kind);
  const segments = [{ kind, form: 'copy' as const, columns, from: 0, to }];
  return { path, index: { dialect: dump.index.dialect, segments } };
}

/** Atomic. Removes leftovers first, so that a stalled attempt cannot add to the new files. */
async function divide(
  { path, index }: Dump,
  folder: string,
  kind: string,
  keyOf: (row: NamedRow) => string,
  meter: CopyMeter,
): Promise<void> {
  for (const name of await readdir(dirname(folder))) {
    if (!name.startsWith(`${basename(folder)}.`)) continue;
    await rm(join(dirname(folder), name), { recursive: true, force: true });
  }
  const temporary = await mkdtemp(`${folder}.`);
  const columns = kindColumns(index, kind);
  const texts = Array.from({ length: countParts(index, kind) }, () => '');
  const flush = async (part: number): Promise<void> => {
    const text = Buffer.from(texts[part] ?? '');
    await meter.add(text.length);
    await appendFile(join(temporary, String(part)), text, { mode: 0o600 });
    texts[part] = '';
  };
  for await (const { row, named } of dumpRows(path, index, kind, null)) {
    if (row.values === null) continue;
    const part = hashText(keyOf(named)) % texts.length;
    const text = (texts[part] ?? '') + copyLine(columns.map((name) => named.get(name) ?? null));
    texts[part] = text;
    if (text.length >= BUFFER_CHARACTERS) await flush(part);
  }
  for (const part of texts.keys()) await flush(part);
  await rename(temporary, folder);
}

function kindColumns({ segments }: DumpIndex, kind: string): string[] {
  const own = segments.filter((segment) => segment.kind === kind);
  return [...new Set(own.flatMap(({ columns }) => columns))];
}

function hashText(text: string): number {
  let hash = 0;
  for (let i = 0; i < text.length; i++) hash = (Math.imul(hash, 31) + text.charCodeAt(i)) >>> 0;
  return hash;
}
