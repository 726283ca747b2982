import { readFileSync } from 'node:fs';

export interface SchemaNode {
  [member: string]: unknown;
}

export interface MediaNode {
  schema?: SchemaNode;
  example?: unknown;
  examples?: Record<string, { value: Record<string, unknown> }>;
}

export interface ResponseNode {
  description?: string;
  headers?: Record<string, SchemaNode>;
  content?: Record<string, MediaNode>;
  $ref?: string;
}

export interface OperationNode {
  deprecated?: boolean;
  operationId?: string;
  summary?: string;
  description?: string;
  tags?: string[];
  security?: Record<string, string[]>[];
  parameters?: { name: string; in: string; description?: string; schema?: SchemaNode }[];
  requestBody?: { content: Record<string, MediaNode> };
  responses: Record<string, ResponseNode>;
}

export interface OpenApiDocument {
  openapi: string;
  info: Record<string, unknown>;
  servers: { url: string }[];
  tags: { name: string; description?: string }[];
  paths: Record<string, Record<string, OperationNode>>;
  components: {
    schemas: Record<string, SchemaNode>;
    responses: Record<string, ResponseNode>;
    headers: Record<string, SchemaNode>;
    securitySchemes: Record<string, SchemaNode>;
  };
}

export const DOCUMENT_VARIABLE = 'CURTAIL_TEST_OPENAPI';

export function builtDocument(): OpenApiDocument {
  return JSON.parse(readFileSync(process.env[DOCUMENT_VARIABLE] ?? '', 'utf8')) as OpenApiDocument;
}

export function resolve<T extends object>(document: OpenApiDocument, node: T): T {
  const { $ref } = node as { $ref?: string };
  if ($ref === undefined) return node;
  const steps = $ref
    .slice(2)
    .split('/')
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
  return steps.reduce<unknown>((at, step) => (at as SchemaNode)[step], document) as T;
}

export interface FlatOperation {
  path: string;
  method: string;
  operation: OperationNode;
}

export function operationsOf({ paths }: OpenApiDocument): FlatOperation[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ path, method, operation })),
  );
}
