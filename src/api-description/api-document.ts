import type { INestApplication } from '@nestjs/common';
import { DiscoveryService, MetadataScanner, ModulesContainer, Reflector } from '@nestjs/core';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { SECURITY_SCHEMES } from '../auth/access.description';
import { type DeclaredRoute, DeclaredRoutes } from '../auth/declared-routes';
import { ANSWER_HEADERS } from '../common/openapi/answer-headers';
import { version } from '../common/package-info';
import { PROVIDER_TITLES } from '../config/sign-in-providers';
import { isNode, type SchemaNode, toOpenApi31 } from './openapi-31';
import { describeOperation, headOperation, type SharedParts } from './operations';

const DESCRIPTION = `Shortens links, redirects visitors and counts their clicks exactly.

**Credentials.** Most calls take an API key or a session. A key comes from \`POST /api/v1/keys\` and goes
as \`Authorization: Bearer svc_…\`; a session comes from \`POST /auth/login\`, as a cookie for browsers
and as a token for \`Authorization: Bearer …\`. Each operation says what it takes.

**Errors** are JSON with \`error\` for people and \`code\` for programs; the header \`X-Error-Code\` says the
same. Addresses that people open answer errors as pages, unless \`Accept\` contains \`application/json\`.

**Limits.** Operations with a limit answer \`X-RateLimit-*\` headers; a refused request is 429 and says in
\`Retry-After\` how long to wait.`;

const TAG_DESCRIPTIONS: readonly (readonly [name: string, description: string])[] = [
  ['Links', 'Shorten addresses, list links, change them and take them away.'],
  ['Custom domains', 'Host names of your own, under which links are reached.'],
  ['Imports', 'Links of other services, from their files.'],
  ['UTM templates', 'Values of campaigns that links are made with.'],
  ['Redirect', 'What visitors of a short link get.'],
  ['Tags', 'Labels of links, by which lists and statistics are narrowed down.'],
  ['QR codes', 'Codes that lead to a short link, as pictures.'],
  ['Statistics', 'Clicks of a link, of an account, and their files.'],
  ['Reports', 'Tell those who run the service of links that do harm.'],
  ['Jobs', 'Work that outlasts a request: how far it is, and its end.'],
  ['API keys', 'Credentials for programs. Sessions alone may manage them.'],
  ['Accounts', 'Registration, sign-in, one-time codes and passwords.'],
  ['OAuth', `Sign-in with ${PROVIDER_TITLES.join(' or ')}, where the operator has set it up.`],
  ['Administration', 'For admins, who answer for the whole service. Hidden from everybody else.'],
  ['Pages', 'Pages for people.'],
  ['Service', 'Whether the service is well, and how much it holds.'],
  ['v0', 'The first API: forms instead of JSON, no accounts. New programs use /api/v1.'],
];

/** Builds the OpenAPI 3.1 document from route decorators; needs no instantiated providers. */
export function apiDocument(app: INestApplication, baseUrl: string): object {
  const document = SwaggerModule.createDocument(app, outline(baseUrl), {
    // Route decorators look up their texts by this ID.
    operationIdFactory: (controller, method) => `${controller}.${method}`,
  });
  const routes = new Map(declaredRoutes(app).map((route) => [route.name, route]));
  return toOpenApi31(complete(document as unknown as SchemaNode, routes)) as object;
}

function declaredRoutes(app: INestApplication): DeclaredRoute[] {
  const discovery = new DiscoveryService(app.get(ModulesContainer));
  return new DeclaredRoutes(discovery, new MetadataScanner(), new Reflector()).all();
}

function outline(baseUrl: string): Omit<OpenAPIObject, 'paths'> {
  const builder = new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle('Curtail')
    .setDescription(DESCRIPTION)
    .setVersion(version())
    .setLicense('MIT', 'https://opensource.org/license/mit')
    .addServer(baseUrl, 'This service');
  for (const [name, description] of TAG_DESCRIPTIONS) builder.addTag(name, description);
  const document = builder.build();
  document.info.contact = { name: 'The operator of this service', url: baseUrl };
  return document;
}

function complete(document: SchemaNode, routes: ReadonlyMap<string, DeclaredRoute>): SchemaNode {
  const shared: SharedParts = { schemas: new Map(), responses: new Map() };
  const paths = Object.entries(document.paths as SchemaNode).map(([path, item]) => [
    path,
    describeOperations(path, item as SchemaNode, routes, shared),
  ]);
  const components = document.components as SchemaNode;
  return {
    ...document,
    paths: Object.fromEntries(paths) as SchemaNode,
    components: {
      ...components,
      headers: ANSWER_HEADERS,
      securitySchemes: SECURITY_SCHEMES,
      schemas: { ...(components.schemas as SchemaNode), ...Object.fromEntries(shared.schemas) },
      responses: Object.fromEntries(shared.responses),
    },
  };
}

function describeOperations(
  path: string,
  item: SchemaNode,
  routes: ReadonlyMap<string, DeclaredRoute>,
  shared: SharedParts,
): SchemaNode {
  const all: SchemaNode = {};
  for (const [method, made] of Object.entries(item)) {
    if (!isNode(made)) continue;
    const route = routes.get(String(made.operationId));
    if (route === undefined) throw new Error(`${method} ${path} is no declared route`);
    const operation = describeOperation({ path, method }, made, route, shared);
    all[method] = operation;
    const head =
      route.operation === undefined ? null : headOperation(operation, route.operation, shared);
    if (head !== null) all.head = head;
  }
  return all;
}
