/**
 * The layers of docs/architecture.md: imports point down only, and every folder says what it may
 * import. `app.module`, `main`, `cli` and the top of `runtime` stand above everything.
 */
const SHARED = ['common', 'config', 'infrastructure'];
/** What anybody may use of `runtime`: child processes, locks and messages between processes. */
const PROCESSES = ['runtime/child-process', 'runtime/ipc', 'runtime/process-'];
/** What of `links` others may use: the link itself, its cache and its repository. */
const LINK = ['links/link', 'links/link-', 'links/links.repository'];

const folders = {
  common: ['config'],
  config: ['common'],
  'runtime/child-process': ['common', 'config', 'runtime/ipc/rpc'],
  // The types of what is said, no code.
  'runtime/ipc': [
    'common',
    'config',
    'infrastructure/change-bus/bus',
    'infrastructure/rate-limit-store/rate-limit-store',
    'metrics/metrics',
    'analytics/dimensions',
    'analytics/engine/statistics-query',
    'analytics/engine/statistics-result',
    'qr/drawing/qr-',
  ],
  infrastructure: ['common', 'config', ...PROCESSES],
  auth: SHARED,
  clicks: [...SHARED, ...PROCESSES, 'links/links.repository'],
  links: [...SHARED, 'auth', 'clicks'],
  redirect: [...SHARED, 'clicks', ...LINK],
  'redirect/link-password': [...SHARED, 'auth', 'clicks', 'redirect', ...LINK],
  analytics: [
    ...SHARED,
    'runtime/child-process',
    'runtime/ipc',
    'metrics/metrics',
    'auth',
    'clicks',
    'redirect/link-password',
    'redirect/redirect.errors',
    ...LINK,
  ],
  accounts: [...SHARED, 'auth'],
  'api-keys': [...SHARED, 'auth', 'accounts'],
  oauth: [...SHARED, 'auth', 'accounts'],
  legacy: [
    ...SHARED,
    'auth',
    'links',
    'analytics',
    'pages',
    'redirect/short-path',
    'redirect/link-password',
  ],
  pages: [
    ...SHARED,
    'auth',
    'redirect/short-path',
    'redirect/redirect.errors',
    'links',
    'analytics',
  ],
  qr: [
    ...SHARED,
    'runtime/ipc',
    'auth',
    'links',
    'redirect/short-path',
    'redirect/redirect.errors',
  ],
  overview: [...SHARED, 'auth', 'links', 'analytics'],
  health: [...SHARED, 'auth'],
  'api-description': [...SHARED, 'auth'],
  dashboard: [...SHARED, 'auth', 'accounts'],
  metrics: [...SHARED, 'auth', 'clicks/journal', 'runtime/ipc', ...LINK],
};

/** The file path itself, a file of that stem, or anything below that folder. */
const path = (name) => (name.endsWith('-') ? `src/${name}` : `src/${name}(?:/|[.-]|$)`);

const layers = Object.entries(folders).map(([folder, allowed]) => {
  const deeper = Object.keys(folders).filter((other) => other.startsWith(`${folder}/`));
  return {
    name: `${folder.replaceAll('/', '-')}-imports`,
    comment: `${folder} may import ${allowed.join(', ')}`,
    severity: 'error',
    from: { path: `^src/${folder}/`, pathNot: deeper.map((other) => `^src/${other}/`) },
    to: { path: '^src/', pathNot: [folder, ...allowed].map((name) => `^${path(name)}`) },
  };
});

const rule = (name, from, to, comment) => ({ name, comment, severity: 'error', from, to });

/** What the browser app shares with the pages of the server, below src; everything else it asks the API for. */
const SHARED_WITH_WEB =
  '(?:common/(?:typed-address|url)|pages/(?:statistics/chart-drawing|wording|style/(?:chart|variables)))';

module.exports = {
  forbidden: [
    ...layers,
    rule(
      'web-is-a-client-of-the-api',
      { path: '^web/' },
      { path: '^src/', pathNot: `^src/${SHARED_WITH_WEB}` },
      'The browser app takes a drawing, its style and how addresses are read from the service, and nothing else',
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
    rule('no-circles', {}, { circular: true }, 'Modules and files form no circles'),
    rule(
      'redirect-without-http-helpers',
      { path: '^src/redirect/', pathNot: '^src/redirect/link-password/' },
      { path: '^src/(common/http|auth)/' },
      'The hot path is its own short story',
    ),
    rule(
      'top-stands-alone',
      { path: '^src/(?!main|cli/|app\\.module|runtime/)' },
      { path: '^src/(main|cli/|app\\.module)' },
      'Nothing imports the program that starts it',
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
