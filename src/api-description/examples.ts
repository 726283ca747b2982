import { isNode, type SchemaNode } from './openapi-31';

const STRUCTURED = new Set([
  'application/json',
  'application/x-www-form-urlencoded',
  'multipart/form-data',
]);

const FILES: Readonly<Record<string, SchemaNode>> = {
  'image/png': { example: '(a PNG image)' },
  'image/svg+xml': { example: '<svg xmlns="http://www.w3.org/2000/svg" />' },
};

const TEXTS: Readonly<Record<string, string>> = {
  'date-time': '2026-09-21T14:13:20.000Z',
  uri: 'https://example.com/spring/sale',
  email: 'ada@example.com',
  binary: '…',
};

/** Adds examples to JSON bodies and forms that have none, from property examples. */
export function withExamples(document: SchemaNode): SchemaNode {
  const { schemas = {} } = document.components as { schemas?: SchemaNode };
  const complete = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(complete);
    if (!isNode(node)) return node;
    return Object.fromEntries(
      Object.entries(node).map(([key, member]) => [
        key,
        key === 'content' && isNode(member) ? exemplify(member, schemas) : complete(member),
      ]),
    );
  };
  const { paths, components } = document;
  const { responses, ...others } = components as SchemaNode;
  return {
    ...document,
    paths: complete(paths),
    components: { ...others, responses: complete(responses) },
  };
}

function exemplify(content: SchemaNode, schemas: SchemaNode): SchemaNode {
  return Object.fromEntries(
    Object.entries(content as Record<string, SchemaNode>).map(([type, media]) => {
      const { schema, example, examples } = media;
      if (example !== undefined || examples !== undefined || !isNode(schema)) return [type, media];
      if (type in FILES) return [type, { ...media, ...FILES[type] }];
      if (!STRUCTURED.has(type) && !('example' in schema)) return [type, media];
      return [type, { ...media, example: exampleFrom(schema, schemas) }];
    }),
  );
}

/** Omits optional properties that have no example. */
export function exampleFrom(schema: SchemaNode, schemas: SchemaNode): unknown {
  for (const key of ['example', 'const', 'default']) if (key in schema) return schema[key];
  if (Array.isArray(schema.enum)) return schema.enum[0] as unknown;
  if (typeof schema.$ref === 'string') {
    const target = schemas[schema.$ref.replace(/^.*\//, '')];
    return isNode(target) ? exampleFrom(target, schemas) : null;
  }
  for (const key of ['oneOf', 'anyOf']) {
    const [first] = (schema[key] ?? []) as SchemaNode[];
    if (first !== undefined) return exampleFrom(first, schemas);
  }
  const [type, ...otherTypes] = [schema.type].flat();
  if (type === 'object') return objectExample(schema, schemas);
  if (type === 'array') {
    const isKnown = isNode(schema.items) && Object.keys(schema.items).length > 0;
    return isKnown ? [exampleFrom(schema.items as SchemaNode, schemas)] : [];
  }
  if (otherTypes.includes('null')) return null;
  if (type === 'integer' || type === 'number') return schema.minimum ?? 1;
  return type === 'boolean' ? false : (TEXTS[String(schema.format)] ?? '…');
}

function objectExample(schema: SchemaNode, schemas: SchemaNode): SchemaNode {
  const required = new Set(schema.required as string[] | undefined);
  const chosen = Object.entries((schema.properties ?? {}) as Record<string, SchemaNode>).filter(
    ([name, property]) => required.has(name) || 'example' in property,
  );
  return Object.fromEntries(
    chosen.map(([name, property]) => [name, exampleFrom(property, schemas)]),
  );
}
