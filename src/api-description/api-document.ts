import type { INestApplication } from '@nestjs/common';
import { DiscoveryService, MetadataScanner, ModulesContainer, Reflector } from '@nestjs/core';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { SECURITY_SCHEMES } from '../auth/access.description';
import { type DeclaredRoute, DeclaredRoutes } from '../auth/route-audit';
import { ANSWER_HEADERS } from '../common/openapi/answer-headers';
import { version } from '../common/package-info';
import { PROVIDER_TITLES } from '../config/sign-in-providers';
import { MAILBOX_LIMIT_TEXT } from '../infrastructure/mail/mail-sender';
import { withExamples } from './examples';
import { isNode, type SchemaNode, toOpenApi31 } from './openapi-31';
import { describeOperation, headOperation, type SharedParts } from './operations';

const DESCRIPTION = `Shortens links, redirects visitors and counts their clicks exactly.

**Start** with \`POST /api/v1/shorten\` and a body like \`{"long_url": "https://example.com"}\`. No credential is required.

**Credentials.** Most operations need an API key or a session. \`POST /api/v1/keys\` creates a key, which is sent
as \`Authorization: Bearer svc_…\`. \`POST /auth/login\` starts a session and returns a cookie for browsers and
a token for \`Authorization: Bearer …\`. Each operation lists its credentials and scopes.

**Errors** are JSON with \`error\` for people and \`code\` for programs, which is also in the header \`X-Error-Code\`.
Paths for browsers return errors as pages, unless \`Accept\` contains \`application/json\`.

**Limits.** Operations with a limit return \`X-RateLimit-*\` headers. Requests over the limit return 429;
\`Retry-After\` is the number of seconds to wait. ${MAILBOX_LIMIT_TEXT}`;

const TAG_DESCRIPTIONS: readonly (readonly [name: string, description: string])[] = [
  ['Links', 'Create, list, change and delete short links.'],
  ['Custom domains', 'Your own host names for short links.'],
  ['Imports', 'Import links from other services, from files or their APIs.'],
  ['UTM templates', 'Campaign values for new links.'],
  ['Redirect', 'What visitors to a short link receive.'],
  ['Tags', 'Labels for links, to filter lists and statistics.'],
  ['QR codes', 'QR codes for short links, as images.'],
  ['Statistics', "Clicks on a link or on all of an account's links, also as files."],
  ['Reports', 'Report harmful links to the operator.'],
  ['Jobs', 'Work that takes longer than a request, such as imports.'],
  ['API keys', 'Credentials for programs. Only sessions can manage them.'],
  ['Accounts', 'Registration, sign-in, one-time codes and passwords.'],
  ['OAuth', `Sign-in with ${PROVIDER_TITLES.join(' or ')}, if the operator has configured it.`],
  ['Administration', 'For admins of the service. All other callers get 404.'],
  ['Pages', 'Pages for browsers.'],
  ['Service', "The service's health and totals."],
  [
    'v0',
    'The older API, with forms instead of JSON and without accounts. Use /api/v1 in new programs.',
  ],
];

/** Builds the OpenAPI 3.1 document from route decorators, without instances of providers. */
export function apiDocument(app: INestApplication, baseUrl: string): object {
  const document = SwaggerModule.createDocument(app, outline(baseUrl), {
    // Route decorators look up their texts by this ID.
    operationIdFactory: (controller, method) => `${controller}.${method}`,
  });
  const routes = new Map(declaredRoutes(app).map((route) => [route.name, route]));
  return withExamples(
    toOpenApi31(complete(document as unknown as SchemaNode, routes)) as SchemaNode,
  );
}

export function declaredRoutes(app: INestApplication): DeclaredRoute[] {
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
    if (route === undefined) throw new Error(`${method} ${path} is not a declared route`);
    const operation = describeOperation({ path, method }, made, route, shared);
    all[method] = operation;
    const head = headOperation(operation, route, shared);
    if (head !== null) all.head = head;
  }
  return all;
}
