import type { XMLBuilder } from 'xmlbuilder2/lib/interfaces';
import {
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

/**
 * xmlbuilder2 leaves an `&` alone that seems to begin an entity, so that a visitor's own `&lt;`
 * would be read back as `<`, and it writes line ends raw, which a reader makes into others. Both
 * pass through it as a character that no text holds, followed by a letter of this table.
 */
const MARK = '\ufffe';
const REFERENCES: Record<string, string> = { a: '&amp;', t: '&#x9;', n: '&#xA;', r: '&#xD;' };
const LETTERS: Record<string, string> = { '&': 'a', '\t': 't', '\n': 'n', '\r': 'r' };

function marked(text: string, risky: RegExp): string {
  return xmlSafe(text).replace(risky, (character) => MARK + (LETTERS[character] ?? ''));
}

function unmarked(markup: string): string {
  return markup.replace(/\ufffe(.)/g, (_, letter: string) => REFERENCES[letter] ?? '');
}

/** Members of a page that become elements at one time; others have their turn in between. */
const MEMBERS_AT_ONCE = 100;

type Entry = readonly [key: string, value: DocumentValue];
type Builder = typeof import('xmlbuilder2');

/**
 * The text of a document as XML (docs/contract.md#10), piece by piece. xmlbuilder2 makes the
 * elements, a few at a time; what holds pages is opened and closed here, because a tree of the
 * whole document would have millions of nodes.
 */
export async function* xmlText(document: DocumentObject): AsyncGenerator<string> {
  // Loaded with the first file: it is large, and most services never write one.
  const builder = await import('xmlbuilder2');
  yield '<?xml version="1.0" encoding="UTF-8"?><root>';
  for (const [key, value] of Object.entries(document)) yield* element(builder, key, value);
  yield '</root>';
}

async function* element(
  builder: Builder,
  key: string,
  value: DocumentValue,
): AsyncGenerator<string> {
  const whole = elementsText(builder, [[key, holdsPages(value) ? emptyOf(value) : value]]);
  if (!holdsPages(value)) {
    yield whole;
    return;
  }
  let before = `${whole.slice(0, -'/>'.length)}>`;
  for await (const text of contentOf(builder, value)) {
    yield before + text;
    before = '';
  }
  yield before === '' ? `</${/^<([^ ]+)/.exec(whole)?.[1] ?? ''}>` : whole;
}

/** A value of the same type that holds nothing: its element is a start tag alone. */
function emptyOf(value: DocumentValue): DocumentValue {
  return isList(value) ? [] : {};
}

async function* contentOf(builder: Builder, value: DocumentValue): AsyncGenerator<string> {
  if (value instanceof PagedList) {
    for await (const page of value.pages()) {
      yield* pageText(
        builder,
        page.map((member) => ['item', member]),
      );
    }
  } else if (value instanceof PagedObject) {
    for await (const page of value.pages()) {
      yield* pageText(builder, page);
    }
  } else if (isObject(value)) {
    for (const [key, inner] of Object.entries(value)) yield* element(builder, key, inner);
  }
}

async function* pageText(builder: Builder, entries: readonly Entry[]): AsyncGenerator<string> {
  for (let from = 0; from < entries.length; from += MEMBERS_AT_ONCE) {
    yield elementsText(builder, entries.slice(from, from + MEMBERS_AT_ONCE));
    await new Promise((resolve) => setImmediate(resolve));
  }
}

function elementsText({ fragment }: Builder, entries: readonly Entry[]): string {
  const elements = fragment();
  for (const [key, value] of entries) addElement(elements, key, value);
  return unmarked(elements.toString());
}

/** A key that is no name of an element is an attribute. */
function addElement(parent: XMLBuilder, key: string, value: DocumentValue): void {
  const type = typeName(value);
  const isName = NAME.test(key) && !/^xml/i.test(key);
  const added = isName
    ? parent.ele(key, { type })
    : parent.ele('key', { name: marked(key, /[&\t\n\r]/g), type });
  if (value === null || value === '') return;
  if (value instanceof PagedList || value instanceof PagedObject) return;
  if (isList(value)) {
    for (const member of value) addElement(added, 'item', member);
  } else if (isObject(value)) {
    for (const [inner, member] of Object.entries(value)) addElement(added, inner, member);
  } else {
    added.txt(marked(String(value), /[&\r]/g));
  }
}

function typeName(value: DocumentValue): string {
  if (value === null) return 'null';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int' : 'float';
  if (typeof value === 'string') return 'str';
  return isList(value) ? 'list' : 'dict';
}
