import type { INestApplication, Type } from '@nestjs/common';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum';
import { DiscoveryService, ModulesContainer, Reflector } from '@nestjs/core';
import Ajv from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import { getMetadataStorage } from 'class-validator';
import type { ValidationMetadata } from 'class-validator/types/metadata/ValidationMetadata';
import { apiDocument, declaredRoutes } from '../../src/api-description/api-document';
import { accessErrors } from '../../src/auth/access.description';
import type { AccessRule } from '../../src/auth/access';
import type { DeclaredRoute } from '../../src/auth/route-audit';
import { type LimitName, type LimitRow, LIMITS } from '../../src/auth/rate-limit/rate-limits';
import { findBodyRules } from '../../src/common/http/taken-body';
import { OPERATION, type OperationText } from '../../src/common/http/route.decorators';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../src/common/time';
import { readSettings } from '../../src/config/settings';
import type { WindowRule } from '../../src/infrastructure/rate-limit-store/rate-limit-store';
import { offlineApp } from '../../src/program/offline-document';
import {
  type FlatOperation,
  type MediaNode,
  type OpenApiDocument,
  operationsOf,
  resolve,
  type ResponseNode,
  type SchemaNode,
} from '../support/openapi/document';

type Handler = (...args: never[]) => unknown;

/** An operation in the document and its route. */
interface Route extends FlatOperation {
  readonly id: string;
  readonly route: DeclaredRoute;
  readonly controller: Type;
  readonly handler: Handler;
}

const UNITS = { minute: MINUTE_MS, hour: HOUR_MS, day: DAY_MS } as const;
/** Media types whose examples cannot be part of a JSON document. */
const WITHOUT_EXAMPLE = /^text\/html$|^application\/(?:xml|zip|vnd\.)/;

function handlersById(app: INestApplication): Map<string, { controller: Type; handler: Handler }> {
  const controllers = new DiscoveryService(app.get(ModulesContainer)).getControllers();
  const entries = controllers.flatMap(({ metatype }) => {
    const controller = metatype as Type;
    const prototype = controller.prototype as Record<string, Handler>;
    return Object.getOwnPropertyNames(prototype).flatMap((name) => {
      const handler = prototype[name];
      if (typeof handler !== 'function') return [];
      const text = Reflect.getMetadata(OPERATION, handler) as OperationText | undefined;
      return text === undefined ? [] : [[text.id, { controller, handler }] as const];
    });
  });
  return new Map(entries);
}

function describedWindows(text: string): WindowRule[] {
  return [...text.matchAll(/(\d+) per (minute|hour|day)/g)].map(([, limit, unit]) => ({
    limit: Number(limit),
    ms: UNITS[unit as keyof typeof UNITS],
  }));
}

function rowWindows(name: LimitName): readonly WindowRule[] {
  const { authenticated = [], anonymous = [] } = LIMITS[name] as LimitRow;
  return [...authenticated, ...anonymous];
}

describe('The API document agrees with the code', () => {
  let document: OpenApiDocument;
  let routes: Route[];

  beforeAll(async () => {
    const app = await offlineApp(readSettings({ BASE_URL: 'https://go.test' }));
    document = apiDocument(app, 'https://go.test') as OpenApiDocument;
    const handlers = handlersById(app);
    const declared = new Map(declaredRoutes(app).map((route) => [route.operation?.id, route]));
    routes = operationsOf(document)
      .filter(({ method }) => method !== 'head')
      .map((flat) => {
        const id = flat.operation.operationId ?? '';
        return { ...flat, id, route: declared.get(id)!, ...handlers.get(id)! };
      });
    expect(routes.length).toBeGreaterThan(100);
  });

  it('about limits', () => {
    for (const { id, operation, route } of routes) {
      const names = Object.keys(route.furtherLimits ?? {}) as LimitName[];
      if (route.limit !== 'none') names.unshift(route.limit!);
      const text = (operation.description ?? '').split('\n\n').at(-1) ?? '';
      expect([id, describedWindows(text)]).toEqual([id, names.flatMap(rowWindows)]);
      expect([id, /^No limit\.$/.test(text)]).toEqual([id, names.length === 0]);
    }
  });

  it('about scopes', () => {
    for (const { id, operation, route } of routes) {
      const [, list = ''] = /A key needs the scope (.+?)\./.exec(operation.description ?? '') ?? [];
      const described = Array.from(list.matchAll(/`([a-z:]+)`/g), ([, scope]) => scope);
      const { scopes } = route.access!;
      const wanted = scopes.length === 0 ? [] : [...new Set([...scopes, 'admin:all'])];
      expect([id, described]).toEqual([id, wanted]);
    }
  });

  it('about the statuses and codes of errors', () => {
    for (const { id, method, operation, route } of routes) {
      const hasBody = operation.requestBody !== undefined;
      const answers = [
        ...route.errors,
        ...accessErrors(route.access as AccessRule, method !== 'get'),
      ];
      const usual = [400, 422, 500, 503, ...(hasBody ? [413, 415] : [])];
      if (route.limit !== 'none') usual.push(429);
      const described = Object.entries(operation.responses).filter(([status]) => +status >= 400);
      // v0, pages and the service's state have other error bodies.
      const shared = described.filter(([, { $ref }]) => $ref !== undefined);
      const own = described.filter(([, { $ref }]) => $ref === undefined).map(([status]) => +status);
      const wanted = new Set([...answers.map(({ status }) => status), ...usual, ...own]);
      expect([id, described.map(([status]) => +status)]).toEqual([
        id,
        [...wanted].sort((a, b) => a - b),
      ]);
      for (const [status, response] of shared) {
        const codes = answers.filter((answer) => answer.status === +status).flatMap((e) => e.codes);
        const { schema = {} } = resolve(document, response).content!['application/json']!;
        const { properties } = resolve(document, schema) as {
          properties: Record<string, { enum: string[] }>;
        };
        expect([id, status, properties.code?.enum]).toEqual([
          id,
          status,
          expect.arrayContaining(codes),
        ]);
      }
    }
  });

  it('about whether a request has a body, and of which types', () => {
    for (const { id, method, operation, controller, handler } of routes) {
      const request = { method: method.toUpperCase(), headers: { 'content-length': '2' } };
      const rules = findBodyRules(new Reflector(), {
        getHandler: () => handler,
        getClass: () => controller,
        switchToHttp: () => ({ getRequest: () => request }),
      } as never);
      const described = Object.keys(operation.requestBody?.content ?? {});
      expect([id, described.length > 0]).toEqual([id, rules.length > 0]);
      const types = rules.flatMap((rule) => rule.types);
      // Import uploads are read as a stream.
      if (id === 'createImport') types.push('multipart/form-data');
      expect([id, types]).toEqual([id, expect.arrayContaining(described)]);
    }
  });

  it('about fields, bounds and values in bodies and queries', () => {
    const problems = routes.flatMap((route) =>
      parameterClasses(route).flatMap(({ type, part }) => {
        const metadata = getMetadataStorage().getTargetValidationMetadatas(type, '', false, false);
        const fields = new Set(metadata.map(({ propertyName }) => propertyName));
        return [...fields].flatMap((field) => {
          const schema = schemaFor(route, type, part, field);
          const place = `${route.id} ${type.name}.${field}`;
          if (schema === undefined) return [`${place} is missing`];
          return metadata
            .filter(({ propertyName }) => propertyName === field)
            .flatMap((rule) => disagreements(rule, schema))
            .map((problem) => `${place}: ${problem}`);
        });
      }),
    );
    expect(problems).toEqual([]);
  });

  function schemaFor(
    { operation }: Route,
    { name }: Type,
    part: RouteParamtypes,
    field: string,
  ): SchemaNode | undefined {
    if (part === RouteParamtypes.QUERY) {
      return operation.parameters?.find((one) => one.in === 'query' && one.name === field)?.schema;
    }
    const { properties } = document.components.schemas[name] ?? {};
    return (properties as Record<string, SchemaNode> | undefined)?.[field];
  }

  it("and has short summaries and descriptions of each operation's purpose", () => {
    const poor = operationsOf(document).filter(
      ({ operation: { summary = '', description = '' } }) => {
        const [purpose = ''] = description.split('\n\n');
        return summary.split(' ').length > 8 || /\.$/.test(summary) || !/\w.*\.$/s.test(purpose);
      },
    );
    expect(poor.map(({ operation }) => operation.operationId)).toEqual([]);
  });

  it('and has a valid example of each request and each response', () => {
    const ajv = new Ajv({ strict: false, allErrors: true });
    addFormats(ajv);
    ajv.addSchema({ ...document, $id: 'api' });
    const problems = routes.flatMap(({ path, method, id, operation }) => [
      ...faults(['paths', path, method, 'requestBody'], operation.requestBody ?? {}, id),
      ...Object.entries(operation.responses).flatMap(([status, response]) => {
        const pointer = response.$ref?.slice(2).split('/') ?? [
          ...['paths', path, method, 'responses', status],
        ];
        return faults(pointer, resolve(document, response), `${id} ${status}`);
      }),
    ]);
    expect(problems).toEqual([]);

    function faults(pointer: string[], { content = {} }: ResponseNode, place: string): string[] {
      return Object.entries(content).flatMap(([type, media]) => {
        if (WITHOUT_EXAMPLE.test(type)) return [];
        const examples = bodyExamples(media);
        if (examples.length === 0) return [`${place} ${type} has no example`];
        const steps = [...pointer, 'content', type, 'schema'].map((step) =>
          encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1')),
        );
        const validate = ajv.getSchema(`api#/${steps.join('/')}`)!;
        return examples.flatMap((example) =>
          example === undefined || validate(example) === true
            ? []
            : [`${place} ${type}: ${ajv.errorsText(validate.errors)}`],
        );
      });
    }
  });
});

/** Returns undefined for an example in another file. */
function bodyExamples(media: MediaNode): unknown[] {
  if ('example' in media) return [media.example];
  return Object.values(media.examples ?? {}).map(({ value }) => value);
}

function parameterClasses({ controller, handler }: Route) {
  const { name } = handler;
  const parts = Object.keys(
    (Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, name) ?? {}) as object,
  );
  const types = (Reflect.getMetadata('design:paramtypes', controller.prototype as object, name) ??
    []) as Type[];
  return parts.flatMap((key) => {
    const [part, index] = key.split(':').map(Number);
    const type = types[index ?? 0];
    const isDto = part === RouteParamtypes.BODY || part === RouteParamtypes.QUERY;
    return isDto && type !== undefined && type !== Object ? [{ part, type }] : [];
  });
}

/** Schema keywords for class-validator rules, by rule name. */
const KEYWORDS: Readonly<Record<string, readonly string[]>> = {
  min: ['minimum'],
  max: ['maximum'],
  minLength: ['minLength'],
  maxLength: ['maxLength'],
  isLength: ['minLength', 'maxLength'],
  arrayMinSize: ['minItems'],
  arrayMaxSize: ['maxItems'],
};

function disagreements({ name, constraints, each }: ValidationMetadata, schema: SchemaNode) {
  const node = (each ? (schema.items as SchemaNode | undefined) : undefined) ?? schema;
  if (name === 'isIn') {
    const words = JSON.stringify(((node.enum ?? []) as unknown[]).filter((word) => word !== null));
    const wanted = JSON.stringify(constraints[0]);
    return words === wanted ? [] : [`enum is ${words}, not ${wanted}`];
  }
  return (KEYWORDS[name ?? ''] ?? []).flatMap((keyword, i) =>
    node[keyword] === constraints[i]
      ? []
      : [`${keyword} is ${String(node[keyword])}, not ${String(constraints[i])}`],
  );
}
