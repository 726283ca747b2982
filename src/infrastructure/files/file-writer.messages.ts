import type { MessagePort } from 'node:worker_threads';
import type { FileKind, FileContent } from './file-formats';
import {
  type DocumentObject,
  type DocumentValue,
  isDocumentObject,
  PagedList,
  PagedObject,
} from './paged-list';
import type { Table } from './table';

/** Content that comes page by page: rows of a table, members of a list, entries of an object. */
export type Pages = () => AsyncIterable<readonly unknown[]>;

/** A content without its pages, so that it can be sent to another thread. */
export type ContentOutline =
  | { kind: 'tables'; tables: Omit<Table, 'rows'>[] }
  | { kind: 'document'; document: DocumentObject; paged: PagedPart[] };

/** Where in a document a paged list or object stands; there is null in its place. */
interface PagedPart {
  path: readonly string[];
  kind: 'list' | 'object';
  size: number;
}

/** A file to be written, with the port over which its pages and bytes are asked for. */
export interface FileTask {
  format: FileKind;
  bom: boolean;
  outline: ContentOutline;
  port: MessagePort;
}

/** From the web thread: give the next bytes; here is a page (null after the last one). */
export type ToWriter =
  { kind: 'read' } | { kind: 'page'; source: number; rows: readonly unknown[] | null };

/** From the writer: bytes (null at the end), a request for the next page of a source, a failure. */
export type FromWriter =
  | { kind: 'bytes'; bytes: Uint8Array | null }
  | { kind: 'next'; source: number }
  | { kind: 'failure'; message: string };

/** Takes a content apart: what can be sent at once, and its pages in the order of their number. */
export function splitContent(content: FileContent): { outline: ContentOutline; sources: Pages[] } {
  if (isTables(content)) {
    const tables = content.map(({ name, header, widths }) => ({ name, header, widths }));
    return { outline: { kind: 'tables', tables }, sources: content.map(({ rows }) => rows) };
  }
  const paged: PagedPart[] = [];
  const sources: Pages[] = [];
  const without = (value: DocumentValue, path: readonly string[]): DocumentValue => {
    if (value instanceof PagedList || value instanceof PagedObject) {
      const kind = value instanceof PagedList ? 'list' : 'object';
      paged.push({ path, kind, size: value.size });
      sources.push(value.pages);
      return null;
    }
    if (!isDocumentObject(value)) return value;
    return objectWithout(value, path);
  };
  const objectWithout = (object: DocumentObject, path: readonly string[]): DocumentObject =>
    Object.fromEntries(
      Object.entries(object).map(([key, value]) => [key, without(value, [...path, key])]),
    );
  return { outline: { kind: 'document', document: objectWithout(content, []), paged }, sources };
}

/** Puts a content together again; `pages` gives those of a source by its number. */
export function contentFrom(
  outline: ContentOutline,
  pages: (source: number) => AsyncIterable<never[]>,
): FileContent {
  if (outline.kind === 'tables') {
    return outline.tables.map((table, source) => ({ ...table, rows: () => pages(source) }));
  }
  const { document, paged } = outline;
  paged.forEach(({ path, kind, size }, source) => {
    const Part = kind === 'list' ? PagedList<DocumentValue> : PagedObject<DocumentValue>;
    let holder = document as Record<string, DocumentValue>;
    for (const key of path.slice(0, -1)) holder = holder[key] as Record<string, DocumentValue>;
    holder[path.at(-1) ?? ''] = new Part(size, () => pages(source));
  });
  return document;
}

function isTables(content: FileContent): content is Table[] {
  return Array.isArray(content);
}
