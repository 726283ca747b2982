/** A list that is read page by page, so that a file of any size needs little memory. */
export class PagedList<T> {
  constructor(
    readonly size: number,
    readonly pages: () => AsyncIterable<T[]>,
  ) {}
}

export class PagedObject<T> {
  constructor(
    readonly size: number,
    readonly pages: () => AsyncIterable<(readonly [key: string, value: T])[]>,
  ) {}
}

export type DocumentValue =
  | null
  | boolean
  | number
  | string
  | readonly DocumentValue[]
  | { readonly [key: string]: DocumentValue }
  | PagedList<DocumentValue>
  | PagedObject<DocumentValue>;

export type DocumentObject = Readonly<Record<string, DocumentValue>>;

export type DocumentList = readonly DocumentValue[] | PagedList<DocumentValue>;

export function isList(value: DocumentValue): value is DocumentList {
  return Array.isArray(value) || value instanceof PagedList;
}

export function isDocumentObject(value: DocumentValue): value is DocumentObject {
  return (
    typeof value === 'object' && value !== null && !isList(value) && !(value instanceof PagedObject)
  );
}

export function holdsPages(value: DocumentValue): boolean {
  if (value instanceof PagedList || value instanceof PagedObject) return true;
  return isDocumentObject(value) && Object.values(value).some(holdsPages);
}
