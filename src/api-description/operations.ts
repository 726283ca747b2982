import type { AccessRule } from '../auth/access';
import { accessErrors, accessText, toSecurityRequirements } from '../auth/access.description';
import type { DeclaredRoute } from '../auth/route-audit';
import { furtherLimitText, limitRow, limitText } from '../auth/rate-limit/rate-limits';
import type { ErrorCode } from '../common/errors';
import { mayFailAsPage } from '../common/http/error-response';
import {
  type AnswerHeader,
  answerHeaders,
  RATE_LIMIT_HEADERS,
} from '../common/openapi/answer-headers';
import { ERROR_KINDS, type ErrorAnswer, errorSchema } from '../common/openapi/error-answers';
import type { OperationText } from '../common/http/route.decorators';
import { isNode, type SchemaNode } from './openapi-31';

const READING = new Set(['get', 'head']);

export interface SharedParts {
  readonly schemas: Map<string, object>;
  readonly responses: Map<string, SchemaNode>;
}

/** Adds the texts, credentials, limits, headers and errors that route decorators declare. */
export function describeOperation(
  place: { readonly path: string; readonly method: string },
  generated: SchemaNode,
  route: DeclaredRoute,
  shared: SharedParts,
): SchemaNode {
  const { access, operation } = route;
  if (operation === undefined) throw new Error(`${route.name} has no @Operation`);
  if (access === undefined) throw new Error(`${route.name} has no @Access`);
  return {
    ...generated,
    ...describeNames(operation),
    description: describePurpose(operation, access, route),
    security: generated.security ?? toSecurityRequirements(access),
    ...describeBody(generated.requestBody, operation),
    responses: { ...answers(generated, route), ...errors(place, generated, route, shared) },
  };
}

function describePurpose(
  { description }: Pick<OperationText, 'description'>,
  access: AccessRule,
  route: DeclaredRoute,
): string {
  return [description, accessText(access), routeLimitText(route)].join('\n\n');
}

export function headOperation(
  get: SchemaNode,
  route: DeclaredRoute,
  { responses: known }: SharedParts,
): SchemaNode | null {
  const { access, operation: { head } = {} } = route;
  if (head === undefined || access === undefined) return null;
  const resolve = (answer: SchemaNode): SchemaNode =>
    known.get(String(answer.$ref).replace(/^.*\//, '')) ?? answer;
  const responses = Object.entries(get.responses as SchemaNode).map(([status, answer]) => {
    return [status, { ...resolve(answer as SchemaNode), content: undefined }];
  });
  return {
    ...get,
    ...describeNames(head),
    description: describePurpose(head, access, route),
    responses: Object.fromEntries(responses) as SchemaNode,
  };
}

function describeNames({
  id,
  summary,
  description,
  deprecated,
}: Omit<OperationText, 'head'>): SchemaNode {
  return { operationId: id, summary, description, ...(deprecated && { deprecated }) };
}

function routeLimitText({ limit, furtherLimits }: DeclaredRoute): string {
  const own = limit === undefined || limit === 'none' ? [] : [limitText(limitRow(limit))];
  const further = furtherLimits === undefined ? [] : [furtherLimitText(furtherLimits)];
  return [...own, ...further].join(' ') || 'No limit.';
}

function describeBody(body: unknown, { examples, otherBodies = {} }: OperationText): SchemaNode {
  if (!isNode(body)) return {};
  const others = Object.entries(otherBodies).map(([type, schema]) => [type, { schema }] as const);
  const media = [...Object.entries(body.content as SchemaNode), ...others];
  const content = media.map(([type, one]) => [
    type,
    { ...(one as SchemaNode), ...(examples !== undefined && { examples }) },
  ]);
  return { requestBody: { ...body, content: Object.fromEntries(content) as SchemaNode } };
}

function routeHeaders(route: DeclaredRoute, ...more: AnswerHeader[]): SchemaNode {
  const limits = route.limit === 'none' ? [] : RATE_LIMIT_HEADERS;
  return answerHeaders('X-Request-ID', ...limits, ...more);
}

function answers(generated: SchemaNode, route: DeclaredRoute): SchemaNode {
  const replay = JSON.stringify(generated.parameters ?? []).includes('"Idempotency-Key"')
    ? answerHeaders('Idempotent-Replayed')
    : {};
  return Object.fromEntries(
    Object.entries(generated.responses as SchemaNode).map(([status, answer]) => {
      const described = answer as SchemaNode;
      // A response class with status 400 or more reports a state (/health) instead of an error.
      const isError = Number(status) >= 400 && !JSON.stringify(described).includes('"$ref"');
      const standing = {
        ...routeHeaders(route, ...(isError ? (['X-Error-Code'] as const) : [])),
        ...replay,
      };
      return [
        status,
        { ...described, headers: { ...standing, ...(described.headers as SchemaNode) } },
      ];
    }),
  );
}

function errors(
  { path, method }: { readonly path: string; readonly method: string },
  generated: SchemaNode,
  route: DeclaredRoute,
  shared: SharedParts,
): SchemaNode {
  const own = generated.responses as SchemaNode;
  const declared: ErrorAnswer[] = [
    ...route.errors,
    ...accessErrors(route.access as AccessRule, !READING.has(method)),
    // Every route rejects malformed HTTP. Only routes that read bodies return errors about bodies.
    ...[400, 422, 500, 503, ...(route.limit === 'none' ? [] : [429])].map(usual),
    ...(generated.requestBody === undefined ? [] : [413, 415]).map(usual),
  ];
  const codes = new Map<number, Set<ErrorCode>>();
  for (const answer of declared) {
    const known = codes.get(answer.status) ?? new Set();
    codes.set(answer.status, known);
    for (const code of answer.codes) known.add(code);
  }
  const described = [...codes].filter(([status]) => own[status] === undefined);
  return Object.fromEntries(
    described.map(([status, set]) => [
      String(status),
      errorResponse(status, [...set], path, route, shared),
    ]),
  );
}

function usual(status: number): ErrorAnswer {
  return { status, codes: ERROR_KINDS[status]?.codes ?? [] };
}

const HEADERS_OF: Readonly<Record<number, readonly AnswerHeader[]>> = {
  415: ['Accept-Encoding'],
  429: [...RATE_LIMIT_HEADERS, 'Retry-After', 'X-Svc-Hint'],
};

function errorResponse(
  status: number,
  codes: ErrorCode[],
  path: string,
  route: DeclaredRoute,
  { schemas, responses }: SharedParts,
): SchemaNode {
  const kind = ERROR_KINDS[status];
  if (kind === undefined) throw new Error(`${route.name}: ${status} is not an error of this API`);
  const more = HEADERS_OF[status] ?? [];
  const body = schemaName(status, codes, schemas);
  const schema = { $ref: `#/components/schemas/${body}` };
  const isPage = mayFailAsPage(path);
  const isLimited = route.limit !== 'none';
  const name = `${body}${isPage ? 'OrPage' : ''}${isLimited ? '' : 'WithoutLimit'}`;
  responses.set(name, {
    description: kind.meaning,
    headers: routeHeaders(route, 'X-Error-Code', ...more),
    content: {
      'application/json': { schema },
      ...(isPage ? { 'text/html': { schema: { type: 'string' } } } : {}),
    },
  });
  return { $ref: `#/components/responses/${name}` };
}

/** Names for error bodies whose generated name would be unreadable. */
const NAMES_OF_CODES: Readonly<Record<string, string>> = {
  'invalid_password,password_required': 'LinkPasswordError',
  'authentication_error,invalid_password,password_required': 'CredentialOrLinkPasswordError',
};

/** Returns a short name for a status's usual codes. Adds other codes to the name. */
function schemaName(status: number, codes: ErrorCode[], schemas: SharedParts['schemas']): string {
  const kind = ERROR_KINDS[status];
  const sorted = codes.sort();
  const isUsual = sorted.join() === [...(kind?.codes ?? [])].sort().join();
  const chosen = isUsual ? kind?.name : NAMES_OF_CODES[sorted.join()];
  const name = chosen ?? `${sorted.map(pascalCase).join('Or')}Error`;
  const schema = errorSchema(status, sorted);
  const known = schemas.get(name);
  if (known !== undefined && JSON.stringify(known) !== JSON.stringify(schema)) {
    throw new Error(`Two error bodies are named ${name}`);
  }
  schemas.set(name, schema);
  return name;
}

function pascalCase(code: string): string {
  const words = code.replace(/_error$/, '').split('_');
  return words.map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`).join('');
}
