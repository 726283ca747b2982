/** A list whose members come page by page, so that a file of any size needs little memory. */
export class PagedList<T> {
  constructor(
    readonly size: number,
    readonly pages: () => AsyncIterable<T[]>,
  ) {}
}

/** An object whose entries come page by page. */
export class PagedObject<T> {
  constructor(
    readonly size: number,
    readonly pages: () => AsyncIterable<(readonly [key: string, value: T])[]>,
  ) {}
}

/** What a file is written from: JSON values, with paged lists and objects among them. */
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

export function isObject(value: DocumentValue): value is DocumentObject {
  return (
    typeof value === 'object' && value !== null && !isList(value) && !(value instanceof PagedObject)
  );
}

/** The members of a list, paged or not, as pages. */
export async function* pagesOf(list: DocumentList): AsyncGenerator<readonly DocumentValue[]> {
  if (list instanceof PagedList) yield* list.pages();
  else if (list.length > 0) yield list;
}
