import type { MessagePort } from 'node:worker_threads';
import type { FileKind, FileContent } from './file-formats';
import {
  type DocumentObject,
  type DocumentValue,
  isDocumentObject,
  PagedList,
  PagedObject,
} from './json';
import type { Table } from './table';

export type Pages = () => AsyncIterable<readonly unknown[]>;

/** Content without its paged rows, for transfer to another thread. */
export type ContentOutline =
  | { kind: 'tables'; tables: Omit<Table, 'rows'>[] }
  | { kind: 'document'; document: DocumentObject; paged: PagedPart[] };

/** Path to a paged value in a document; the document contains null at this path. */
interface PagedPart {
  path: readonly string[];
  kind: 'list' | 'object';
  size: number;
}

export interface FileTask {
  format: FileKind;
  bom: boolean;
  outline: ContentOutline;
  port: MessagePort;
}

/** Message from the web thread: requests the next bytes, or delivers a page (null at the end). */
export type ToWriter =
  { kind: 'read' } | { kind: 'page'; source: number; rows: readonly unknown[] | null };

/** Message from the writer thread: bytes (null at the end), a page request, or a failure. */
export type FromWriter =
  | { kind: 'bytes'; bytes: Uint8Array | null }
  | { kind: 'next'; source: number }
  | { kind: 'failure'; message: string };

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
