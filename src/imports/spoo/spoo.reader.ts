import { type FileHandle, open } from 'node:fs/promises';
import { EventLoopPauses } from '../../common/event-loop';
import { importFilePath, type Import } from '../import';
import { ImportFormatError, isZipFile, preparePlainFile } from '../plain-file';
import {
  type FoundRow,
  type ImportReader,
  MAX_PAGE_BYTES,
  MAX_PAGE_ROWS,
  type ReadPage,
  rowsOrProblem,
} from '../reading/import-reader';
import { type JsonObject, jsonObjects } from './json-objects';
import { objectBytes, openArchive } from './spoo-archive';
import { linkOfDocument } from './spoo-link';

interface SpooPosition {
  /** Index of the JSON file within a zip; otherwise 0. */
  readonly file: number;
  /** Offset in the decompressed file. */
  readonly offset: number;
}

interface FoundObject {
  readonly object: JsonObject;
  readonly next: SpooPosition;
}

export const spooReader: ImportReader = {
  async page(
    dataImport: Import,
    position: SpooPosition | null,
    firstRow: number,
  ): Promise<ReadPage> {
    const path = importFilePath(dataImport);
    const archive = (await isZipFile(path)) ? await openArchive(path) : null;
    if (archive?.kind === 'tables') {
      const rows = [await linkOfDocument(firstRow, archive.document, false)];
      return { rows, nextRow: firstRow + 1, next: null };
    }
    const from = position ?? { file: 0, offset: 0 };
    const objects =
      archive?.kind === 'objects'
        ? objectsOfFiles(path, archive.names, from)
        : objectsOfFile(await preparePlainFile(path, dataImport.copies), from);
    const page = await readObjectPage(objects, from, firstRow);
    const isOther = position === null && page.rows.every((row) => 'problem' in row);
    if (isOther && page.next === null) throw new ImportFormatError('a file without a link in JSON');
    return page;
  },
};

async function readObjectPage(
  objects: AsyncGenerator<FoundObject>,
  from: SpooPosition,
  firstRow: number,
): Promise<ReadPage> {
  const rows: FoundRow[] = [];
  const pauses = new EventLoopPauses();
  let bytes = 0;
  let last = from;
  for await (const { object, next } of objects) {
    const row = firstRow + rows.length;
    const { value, problem, isGuessed } = object;
    const links = async () => [
      value === null
        ? { row, problem: problem ?? 'no object' }
        : await linkOfDocument(row, value, isGuessed),
    ];
    rows.push(...(await rowsOrProblem(row, links)));
    await pauses.whenDue();
    bytes += next.offset - (next.file === last.file ? last.offset : 0);
    last = next;
    if (rows.length < MAX_PAGE_ROWS && bytes < MAX_PAGE_BYTES) continue;
    return { rows, nextRow: firstRow + rows.length, next };
  }
  return { rows, nextRow: firstRow + rows.length, next: null };
}

async function* objectsOfFile(path: string, from: SpooPosition): AsyncGenerator<FoundObject> {
  const file: FileHandle = await open(path, 'r');
  try {
    const read = (into: Buffer, at: number) => file.read(into, 0, into.length, at);
    for await (const object of jsonObjects(read, from.offset)) {
      yield { object, next: { file: 0, offset: object.end } };
    }
  } finally {
    await file.close();
  }
}

async function* objectsOfFiles(
  path: string,
  names: readonly string[],
  from: SpooPosition,
): AsyncGenerator<FoundObject> {
  for (const [file, name] of names.entries()) {
    if (file < from.file) continue;
    const bytes = await objectBytes(path, name);
    if (bytes === null) {
      const object = { value: null, problem: `${name} is too long`, end: 0, isGuessed: false };
      yield { object, next: { file: file + 1, offset: 0 } };
      continue;
    }
    const read = (into: Buffer, at: number) =>
      Promise.resolve({ bytesRead: bytes.copy(into, 0, at) });
    for await (const object of jsonObjects(read, file === from.file ? from.offset : 0)) {
      yield { object, next: { file, offset: object.end } };
    }
  }
}
