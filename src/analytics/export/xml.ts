import {
  type DocumentList,
  type DocumentObject,
  type DocumentValue,
  holdsPages,
  isList,
  isObject,
  PagedList,
  PagedObject,
} from './paged-list';

/* eslint-disable-next-line no-control-regex -- XML cannot hold them */
const NOT_IN_XML = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;

/** A text that XML 1.0 can hold: what it cannot becomes the replacement character. */
export function xmlSafe(text: string): string {
  return text.replace(NOT_IN_XML, '\ufffd').replace(/\p{Surrogate}/gu, '\ufffd');
}

const NAME = /^[A-Za-z_][A-Za-z0-9._-]*$/;

/** What cannot stand as it is, and line ends, which a reader would make into others. */
const REFERENCES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\t': '&#x9;',
  '\n': '&#xA;',
  '\r': '&#xD;',
};

/**
 * The text of a document as XML (docs/contract.md#10), piece by piece. Written by hand: a general builder
 * takes a hundred times as long for an element, and files have millions of them.
 */
export async function* xmlText(document: DocumentObject): AsyncGenerator<string> {
  yield '<?xml version="1.0" encoding="UTF-8"?><root>';
  for (const [key, value] of Object.entries(document)) yield* element(key, value);
  yield '</root>';
}

async function* element(key: string, value: DocumentValue): AsyncGenerator<string> {
  if (!holdsPages(value)) {
    yield plainElement(key, value);
    return;
  }
  const { name, start } = tagOf(key, value);
  let before = `<${start}>`;
  for await (const text of contentOf(value)) {
    if (text === '') continue;
    yield before + text;
    before = '';
  }
  yield before === '' ? `</${name}>` : `<${start}/>`;
}

async function* contentOf(value: DocumentValue): AsyncGenerator<string> {
  if (value instanceof PagedList) {
    const list: PagedList<DocumentValue> = value;
    for await (const page of list.pages()) yield itemsText(page);
  } else if (value instanceof PagedObject) {
    const object: PagedObject<DocumentValue> = value;
    for await (const page of object.pages()) {
      yield page.map(([key, inner]) => plainElement(key, inner)).join('');
    }
  } else if (isObject(value)) {
    for (const [key, inner] of Object.entries(value)) yield* element(key, inner);
  }
}

/** An element in which nothing comes page by page. */
function plainElement(key: string, value: DocumentValue): string {
  const { name, start } = tagOf(key, value);
  const content = plainContent(value);
  return content === '' ? `<${start}/>` : `<${start}>${content}</${name}>`;
}

function plainContent(value: DocumentValue): string {
  if (value === null) return '';
  if (isList(value)) return itemsText(value);
  if (!isObject(value)) return escaped(String(value), /[&<>\r]/g);
  return Object.entries(value)
    .map(([key, inner]) => plainElement(key, inner))
    .join('');
}

function itemsText(list: DocumentList): string {
  if (list instanceof PagedList) return '';
  return list.map((member) => plainElement('item', member)).join('');
}

/** The name of an element, and what its start tag holds; a key that is no name is an attribute. */
function tagOf(key: string, value: DocumentValue): { name: string; start: string } {
  const type = `type="${typeName(value)}"`;
  if (NAME.test(key) && !/^xml/i.test(key)) return { name: key, start: `${key} ${type}` };
  return { name: 'key', start: `key name="${escaped(key, /[&<>"\t\n\r]/g)}" ${type}` };
}

function escaped(text: string, risky: RegExp): string {
  return xmlSafe(text).replace(risky, (character) => REFERENCES[character] ?? '');
}

function typeName(value: DocumentValue): string {
  if (value === null) return 'null';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int' : 'float';
  if (typeof value === 'string') return 'str';
  return isList(value) ? 'list' : 'dict';
}
