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

const STEP = '    ';

/** Streams JSON with an indent of four spaces. */
export async function* jsonText(document: DocumentObject, indent = ''): AsyncGenerator<string> {
  const inner = indent + STEP;
  let before = '{';
  for (const [key, value] of Object.entries(document)) {
    yield `${before}\n${inner}${JSON.stringify(key)}: `;
    if (value instanceof PagedList) yield* listText(value, inner);
    else if (value instanceof PagedObject) yield* objectText(value, inner);
    else if (isDocumentObject(value) && holdsPages(value)) yield* jsonText(value, inner);
    else yield plainText(value, inner);
    before = ',';
  }
  yield before === '{' ? '{}' : `\n${indent}}`;
}

async function* listText(list: PagedList<DocumentValue>, indent: string): AsyncGenerator<string> {
  const inner = indent + STEP;
  let before = '[';
  for await (const page of list.pages()) {
    let text = '';
    for (const member of page) {
      text += `${before}\n${inner}${plainText(member, inner)}`;
      before = ',';
    }
    yield text;
  }
  yield before === '[' ? '[]' : `\n${indent}]`;
}

async function* objectText(
  object: PagedObject<DocumentValue>,
  indent: string,
): AsyncGenerator<string> {
  const inner = indent + STEP;
  let before = '{';
  for await (const page of object.pages()) {
    let text = '';
    for (const [key, value] of page) {
      text += `${before}\n${inner}${JSON.stringify(key)}: ${plainText(value, inner)}`;
      before = ',';
    }
    yield text;
  }
  yield before === '{' ? '{}' : `\n${indent}}`;
}

function plainText(value: DocumentValue, indent: string): string {
  // JSON strings contain no raw line breaks, so each line break belongs to the layout.
  return JSON.stringify(value, null, STEP).replaceAll('\n', `\n${indent}`);
}
