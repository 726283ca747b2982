export type SchemaNode = Record<string, unknown>;

export function isNode(value: unknown): value is SchemaNode {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Members that hold example data, not schemas. */
const DATA_MEMBERS = new Set(['example', 'examples', 'default', 'enum', 'const']);

/**
 * Converts nullable types, examples and binary files in @nestjs/swagger's document to OpenAPI 3.1.
 */
export function toOpenApi31(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toOpenApi31);
  if (!isNode(value)) return value;
  const node = Object.fromEntries(
    Object.entries(value).map(([key, member]) => [
      key,
      DATA_MEMBERS.has(key) && !isNode(member) ? member : toOpenApi31(member),
    ]),
  );
  return nullable(unwrapReference(node));
}

/** OpenAPI 3.0 needs `allOf` for a description next to a reference. OpenAPI 3.1 does not. */
function unwrapReference(node: SchemaNode): SchemaNode {
  const { allOf, ...rest } = node;
  if (!Array.isArray(allOf) || allOf.length !== 1 || !isNode(allOf[0])) return node;
  // @nestjs/swagger adds these members next to the reference.
  delete rest.type;
  return { ...rest, ...allOf[0] };
}

function nullable(node: SchemaNode): SchemaNode {
  const { nullable: isNullable, ...schema } = node;
  if (isNullable !== true) return 'nullable' in node && isNullable === false ? schema : node;
  if (Array.isArray(schema.oneOf))
    return { ...schema, oneOf: [...(schema.oneOf as unknown[]), NULL] };
  if (schema.$ref !== undefined) {
    const { $ref, ...rest } = schema;
    return { ...rest, oneOf: [{ $ref }, NULL] };
  }
  const values = Array.isArray(schema.enum) ? { enum: [...(schema.enum as unknown[]), null] } : {};
  return { ...schema, type: [schema.type, 'null'], ...values };
}

const NULL = { type: 'null' };
