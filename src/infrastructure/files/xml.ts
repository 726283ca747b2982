import { LRUCache } from 'lru-cache';
import type { XMLBuilder } from 'xmlbuilder2/lib/interfaces';
import {
  type DocumentObject,
  type DocumentValue,
  holdsPages,
  isDocumentObject,
  isList,
  PagedList,
  PagedObject,
} from './json';

/* eslint-disable-next-line no-control-regex -- characters that XML cannot contain */
const NOT_IN_XML = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;

export function xmlSafe(text: string): string {
  return text.replace(NOT_IN_XML, '\ufffd').replace(/\p{Surrogate}/gu, '\ufffd');
}

const ELEMENT_NAME = /^[A-Za-z_][A-Za-z0-9._-]*$/;

/** Escapes include line breaks, because an XML reader would otherwise normalise them. */
const REFERENCES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\t': '&#x9;',
  '\n': '&#xA;',
  '\r': '&#xD;',
};
const IN_TEXT = /[&<>\r]/g;
const IN_ATTRIBUTE = /[&<>"\t\n\r]/g;

/** Escapes an element's text. */
export function xmlContent(text: string): string {
  return escapeXml(text, IN_TEXT);
}

function escapeXml(text: string, risky: RegExp): string {
  return xmlSafe(text).replace(risky, (character) => REFERENCES[character] ?? '');
}

type Member = readonly [key: string, value: DocumentValue];

/** Placeholder for a value in cached markup; this character occurs in no text. */
const VALUE_MARK = '\ufffe';
/** Maximum cached shapes per document; a list in a document has only a few shapes. */
const SHAPES = 500;

/**
 * Builds markup once per shape (same keys and types in the same order), because building each row
 * takes 0.1 ms. Escapes values itself: xmlbuilder2 keeps an `&` that looks like an entity, so
 * that a visitor's `&lt;` would be read as `<`, and does not escape line breaks.
 */
class Builder {
  private readonly shapes = new LRUCache<string, readonly string[]>({ max: SHAPES });

  constructor(private readonly library: typeof import('xmlbuilder2')) {}

  elements(entries: readonly Member[]): string {
    let text = '';
    for (const [key, value] of entries) {
      const values: string[] = [];
      const shape = elementShape(key, value, values);
      const parts = this.shapes.get(shape) ?? this.build(shape, key, value);
      parts.forEach((part, i) => (text += part + (values[i] ?? '')));
    }
    return text;
  }

  private build(shape: string, key: string, value: DocumentValue): readonly string[] {
    const elements = this.library.fragment();
    addElement(elements, key, value);
    const parts = elements.toString().split(VALUE_MARK);
    this.shapes.set(shape, parts);
    return parts;
  }
}

/** Streams a document as XML (docs/contract.md#10), because a tree would have too many nodes. */
export async function* xmlText(document: DocumentObject): AsyncGenerator<string> {
  // Loaded on demand, because the library is large and most services never use it.
  const builder = new Builder(await import('xmlbuilder2'));
  yield '<?xml version="1.0" encoding="UTF-8"?><root>';
  for (const [key, value] of Object.entries(document)) yield* element(builder, key, value);
  yield '</root>';
}

async function* element(
  builder: Builder,
  key: string,
  value: DocumentValue,
): AsyncGenerator<string> {
  const whole = builder.elements([[key, holdsPages(value) ? (isList(value) ? [] : {}) : value]]);
  if (!holdsPages(value)) {
    yield whole;
    return;
  }
  let before = `${whole.slice(0, -'/>'.length)}>`;
  for await (const text of elementContent(builder, value)) {
    if (text === '') continue;
    yield before + text;
    before = '';
  }
  yield before === '' ? `</${/^<([^ ]+)/.exec(whole)?.[1] ?? ''}>` : whole;
}

async function* elementContent(builder: Builder, value: DocumentValue): AsyncGenerator<string> {
  if (value instanceof PagedList) {
    for await (const page of value.pages()) {
      yield builder.elements(page.map((member) => ['item', member]));
    }
  } else if (value instanceof PagedObject) {
    for await (const page of value.pages()) {
      yield builder.elements(page);
    }
  } else if (isDocumentObject(value)) {
    for (const [key, inner] of Object.entries(value)) yield* element(builder, key, inner);
  }
}

/** Returns the cache key of an element's markup, and adds the element's values to `values`. */
function elementShape(key: string, value: DocumentValue, values: string[]): string {
  const name = isElementName(key) ? key : '*';
  if (name === '*') values.push(escapeXml(key, IN_ATTRIBUTE));
  const head = `${name}:${typeName(value)}`;
  if (value === null || value === '') return head;
  if (value instanceof PagedList || value instanceof PagedObject) return head;
  if (isList(value)) {
    return `${head}[${value.map((member) => elementShape('item', member, values)).join()}]`;
  }
  if (isDocumentObject(value)) {
    const members = Object.entries(value).map(([inner, member]) =>
      elementShape(inner, member, values),
    );
    return `${head}{${members.join()}}`;
  }
  values.push(escapeXml(String(value), IN_TEXT));
  return `${head}=`;
}

function isElementName(key: string): boolean {
  return ELEMENT_NAME.test(key) && !/^xml/i.test(key);
}

/** Writes a key that is not a valid element name as an attribute. */
function addElement(parent: XMLBuilder, key: string, value: DocumentValue): void {
  const type = typeName(value);
  const added = isElementName(key)
    ? parent.ele(key, { type })
    : parent.ele('key', { name: VALUE_MARK, type });
  if (value === null || value === '') return;
  if (value instanceof PagedList || value instanceof PagedObject) return;
  if (isList(value)) {
    for (const member of value) addElement(added, 'item', member);
  } else if (isDocumentObject(value)) {
    for (const [inner, member] of Object.entries(value)) addElement(added, inner, member);
  } else {
    added.txt(VALUE_MARK);
  }
}

function typeName(value: DocumentValue): string {
  if (value === null) return 'null';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int' : 'float';
  if (typeof value === 'string') return 'str';
  return isList(value) ? 'list' : 'dict';
}
