import { readSettings } from '../../src/config/settings';
import { version } from '../../src/common/package-info';
import { offlineDocument } from '../../src/program/offline-document';
import {
  type FlatOperation,
  type OpenApiDocument,
  operationsOf,
  resolve,
  type SchemaNode,
} from '../support/openapi/document';

const IDS = `blockHost blockLink blockLinks blockReportedLink cancelAnyJob cancelImport cancelJob
  changePassword checkAlias claimLinks confirmEmailChange createAccountExport createApiKey
  createDomain createImport createLegacyEmojiLink createLegacyEmojiLinkByQuery createLegacyLink
  createLink createLinks createTag createUtmTemplate deleteAccount deleteAccountByPost
  deleteAnyAccount deleteAnyAccountByPost deleteAnyLink deleteAnyLinks deleteClicks deleteClicksOfLinks
  deleteDomain deleteLink
  deleteLinks deleteLinksOfDomain deleteTag deleteUtmTemplate dismissReport downloadAccountExport
  downloadImportReport downloadLegacyStatistics downloadProtectedStatistics
  downloadPublicStatistics endOtherSessions endSession endSessionsOfAccount exportLegacyStatistics
  exportLinkStatistics exportLinks exportStatistics exportTrail finishOauthSignIn followLink
  getAccount getAccountExport getAnyAccount getAnyLink getDomain getEmojiSet getHealth getHost
  getImport getJob getLegacyStatistics getLink getLinkByAddress getLinkStatistics getLists
  getOverview getOwnQrPng getOwnQrSvg getPublicStatistics getPublicStatisticsWithPassword
  getQrLogo getQrPng getQrSettings getQrSvg getReport getServiceOverview getStatistics getTotals
  listAccountExports listAllDomains listApiKeys listBlockedHosts listDomains listImportRows
  listImports listJobs listLinks listProviders listReports listSessions listSharedDomains listTags
  listTrail listUtmTemplates login logout moveLinks openPasswordForm openStatistics previewLink
  previewPublicLink refreshSession register removeAccountExport removeDomain removeImport
  removeQrLogo reportLinks requestEmailChange requestPasswordReset resetPassword
  resetPasswordOfAccount resolveLink restoreAccount revokeApiKey runImport searchAccounts
  searchLinks sendProofCode sendVerificationCode setAccountRole setLinkExpiries setLinkStatus
  setLinkStatuses setPassword setQrSettings shareDomain showHomePage showResultPage
  showStatisticsForm showStatisticsPage startOauthLink startOauthSignIn storeQrLogo suspendAccount
  syncImport tryLink unblockHost unblockLink unblockLinks undoImport unlinkProvider unlockLink
  unsuspendAccount updateAccount updateDomain updateLink updateLinks updateTag updateUtmTemplate
  verifyDomain verifyEmail`.split(/\s+/);

function schemasIn(node: unknown, place = '#'): [string, SchemaNode][] {
  if (Array.isArray(node)) return node.flatMap((member, i) => schemasIn(member, `${place}/${i}`));
  if (typeof node !== 'object' || node === null) return [];
  const own = node as SchemaNode;
  const inside = Object.entries(own).flatMap(([key, member]) =>
    key === 'examples' || key === 'example' ? [] : schemasIn(member, `${place}/${key}`),
  );
  return 'type' in own || 'properties' in own ? [[place, own], ...inside] : inside;
}

describe('The API document', () => {
  let document: OpenApiDocument;
  let operations: FlatOperation[];

  beforeAll(async () => {
    const settings = readSettings({ BASE_URL: 'https://go.test' });
    document = (await offlineDocument(settings)) as OpenApiDocument;
    operations = operationsOf(document);
  });

  it('is OpenAPI 3.1 and contains its owner', () => {
    expect(document.openapi).toBe('3.1.0');
    expect(document.info).toMatchObject({
      title: 'Curtail',
      version: version(),
      license: { name: 'MIT', url: expect.stringContaining('https://') },
      contact: { name: expect.any(String), url: 'https://go.test' },
      description: expect.stringContaining('Retry-After'),
    });
    expect(document.servers).toEqual([{ url: 'https://go.test', description: 'This service' }]);
  });

  it('marks exactly the v0 operations as deprecated', () => {
    const deprecated = operations.filter(({ operation }) => operation.deprecated === true);
    expect(deprecated.map(({ operation }) => operation.operationId).sort()).toEqual([
      'createLegacyEmojiLink',
      'createLegacyEmojiLinkByQuery',
      'createLegacyLink',
      'downloadLegacyStatistics',
      'exportLegacyStatistics',
      'getLegacyStatistics',
    ]);
  });

  it('uses the terms of the domain in the name of every operation', () => {
    const ids = operations.map(({ operation }) => operation.operationId);
    expect([...ids].sort()).toEqual(IDS);
  });

  it('has no operation without summary, description, tag and security', () => {
    const tags = document.tags.filter(({ description }) => description).map(({ name }) => name);
    const schemes = Object.keys(document.components.securitySchemes);
    const poor = operations.filter(
      ({ operation: { summary, description, tags: [tag] = [], security } }) =>
        !summary ||
        !description ||
        tag === undefined ||
        !tags.includes(tag) ||
        security === undefined ||
        security.some((one) => Object.keys(one).some((name) => !schemes.includes(name))),
    );
    expect(poor.map(({ method, path }) => `${method} ${path}`)).toEqual([]);
  });

  it.each([
    ['listLinks', ['api_key', 'bearer', 'access_token']],
    ['createLink', ['api_key', 'bearer', 'access_token', undefined]],
    ['createApiKey', ['bearer', 'access_token']],
    ['refreshSession', ['refresh_token']],
    ['logout', ['refresh_token', undefined]],
    ['login', []],
  ])('lists for %s the accepted credentials', (id, wanted) => {
    const found = operations.find(({ operation }) => operation.operationId === id);
    const names = found?.operation.security?.map((one) => Object.keys(one)[0]) ?? [];
    expect(new Set(names)).toEqual(new Set(wanted));
  });

  it('describes every response and every parameter', () => {
    const silent = operations.flatMap(
      ({ operation: { operationId, responses, parameters = [] } }) => [
        ...Object.entries(responses)
          .filter(([, answer]) => !resolve(document, answer).description)
          .map(([status]) => `${operationId} ${status}`),
        ...parameters
          .filter(({ description, schema }) => !description && schema?.default === undefined)
          .map(({ name }) => `${operationId} ${name}`),
      ],
    );
    expect(silent).toEqual([]);
  });

  it('has an error body with its codes for every error status', () => {
    const bare = operations.flatMap(({ method, operation: { operationId, responses } }) =>
      Object.entries(responses)
        .filter(([status]) => Number(status) >= 400 && method !== 'head' && status !== '503')
        .filter(([, answer]) => {
          const { content = {} } = resolve(document, answer);
          const schema = content['application/json']?.schema;
          const text = JSON.stringify(schema && resolve(document, schema));
          return !/"code":\{"type":"string","enum":\[|Error":\{"type":"string"/.test(text);
        })
        .map(([status]) => `${operationId} ${status}`),
    );
    expect(bare).toEqual([
      // These routes are only for browsers, and their errors are pages.
      'createLegacyLink 401',
      'createLegacyEmojiLink 401',
      'showStatisticsPage 404',
      'downloadLegacyStatistics 404',
    ]);
  });

  it('describes every object, and declares null by type', () => {
    const all = schemasIn(document);
    const bare = all.filter(
      ([, { type, properties, additionalProperties }]) =>
        type === 'object' && properties === undefined && additionalProperties === undefined,
    );
    expect(bare.map(([place]) => place)).toEqual([]);
    expect(all.filter(([, schema]) => 'nullable' in schema)).toEqual([]);
    const types = all.flatMap(([place, { type }]) =>
      [type].flat().every((one) => one === undefined || typeof one === 'string') ? [] : [place],
    );
    expect(types.filter((place) => !place.includes('/properties'))).toEqual([]);
  });

  it('has an example or described fields for every form and JSON body', () => {
    const without = operations.filter(
      ({ operation: { requestBody } }) =>
        requestBody !== undefined &&
        Object.values(requestBody.content).some(
          ({ schema, examples }) =>
            examples === undefined &&
            Object.values((schema && resolve(document, schema).properties) ?? {}).some(
              (field) => !(field as SchemaNode).description,
            ),
        ),
    );
    expect(without.map(({ operation }) => operation.operationId)).toEqual([]);
  });

  it('lists no error code for a successful response', () => {
    const { responses } = operations.find(
      ({ operation }) => operation.operationId === 'getHealth',
    )!.operation;
    expect(Object.keys(responses['503']?.headers ?? {})).toEqual(['X-Request-ID']);
  });
});
