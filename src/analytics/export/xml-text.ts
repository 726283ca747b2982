import type { createCB } from 'xmlbuilder2';
import {
  type DocumentObject,
  type DocumentValue,
  isList,
  isObject,
  PagedObject,
  pagesOf,
} from './paged-list';
import { xmlSafe } from './xml-safe';

type Builder = ReturnType<typeof createCB>;

const NAME = /^[A-Za-z_][A-Za-z0-9._-]*$/;

/** The text of a document as XML (contract 10), piece by piece. */
export async function* xmlText(document: DocumentObject): AsyncGenerator<string> {
  const pieces: string[] = [];
  const take = (): string => pieces.splice(0).join('');
  // Loaded when it is needed: it is the largest package of a web process after the driver.
  const { createCB: create } = await import('xmlbuilder2');
  const builder = create({
    data: (text: string) => pieces.push(text),
    end: () => undefined,
    error: (error: Error) => {
      throw error;
    },
  });
  builder.dec({ version: '1.0', encoding: 'UTF-8' }).ele('root');
  for (const [key, value] of Object.entries(document)) {
    yield* element(builder, key, value, take);
  }
  builder.up().end();
  yield take();
}

async function* element(
  builder: Builder,
  key: string,
  value: DocumentValue,
  take: () => string,
): AsyncGenerator<string> {
  open(builder, key, value);
  if (isList(value)) {
    for await (const page of pagesOf(value)) {
      for (const member of page) yield* element(builder, 'item', member, take);
      yield take();
    }
  } else if (value instanceof PagedObject) {
    const object: PagedObject<DocumentValue> = value;
    for await (const page of object.pages()) {
      for (const [name, inner] of page) yield* element(builder, name, inner, take);
      yield take();
    }
  } else if (isObject(value)) {
    for (const [name, inner] of Object.entries(value)) yield* element(builder, name, inner, take);
  } else if (value !== null) {
    builder.txt(xmlSafe(String(value)));
  }
  builder.up();
}

function open(builder: Builder, key: string, value: DocumentValue): void {
  if (NAME.test(key) && !/^xml/i.test(key)) builder.ele(key);
  else builder.ele('key').att('name', xmlSafe(key));
  builder.att('type', typeName(value));
}

function typeName(value: DocumentValue): string {
  if (value === null) return 'null';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int' : 'float';
  if (typeof value === 'string') return 'str';
  return isList(value) ? 'list' : 'dict';
}
