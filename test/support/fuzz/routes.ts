interface Schema {
  $ref?: string;
  properties?: Record<string, Schema>;
  enum?: unknown[];
  type?: string;
}

interface Operation {
  parameters?: { name: string; in: string; schema: Schema }[];
  requestBody?: { content: Record<string, { schema?: Schema }> };
}

export interface ApiDocument {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
}

export interface Route {
  method: string;
  path: string;
  query: string[];
  fields: string[];
}

export function routesOf(document: ApiDocument): Route[] {
  return Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path,
      query: (operation.parameters ?? []).filter((p) => p.in === 'query').map((p) => p.name),
      fields: fieldsOf(document, operation),
    })),
  );
}

function fieldsOf(document: ApiDocument, { requestBody }: Operation): string[] {
  return Object.values(requestBody?.content ?? {}).flatMap(({ schema }) => {
    const name = schema?.$ref?.split('/').at(-1);
    const resolved = name === undefined ? schema : document.components.schemas[name];
    return Object.keys(resolved?.properties ?? {});
  });
}
