/** The arrows of docs/architecture.md: imports point down only. */
const FEATURES =
  'accounts|oauth|api-keys|links|redirect|unlock|analytics|legacy|pages|health|metrics';
const rule = (name, from, to, comment) => ({ name, comment, severity: 'error', from, to });

module.exports = {
  forbidden: [
    rule('no-circles', {}, { circular: true }, 'Rooms and files form no circles'),
    rule('core-stands-alone', { path: '^src/core' }, { path: '^src/(?!core)' }),
    rule('config-on-core', { path: '^src/config' }, { path: '^src/(?!config|core)' }),
    rule(
      'platform-on-config',
      { path: '^src/platform' },
      { path: '^src/(?!platform|config|core)' },
    ),
    rule('http-on-config', { path: '^src/http' }, { path: '^src/(?!http|config|core)' }),
    rule(
      'access-on-floors',
      { path: '^src/access' },
      { path: '^src/(?!access|http|platform|config|core)' },
    ),
    rule(
      'redirect-skips-access-and-http',
      { path: '^src/redirect' },
      { path: '^src/(?!redirect|links/lookup|platform|config|core)' },
      'The hot path is its own short story',
    ),
    rule(
      'links-alone',
      { path: '^src/links' },
      { path: `^src/(${FEATURES.replace('links|', '')})` },
      'links knows no other feature room',
    ),
    rule(
      'lookup-below-links',
      { path: '^src/links/lookup' },
      { path: '^src/(?!links/lookup|platform|config|core)' },
    ),
    rule(
      'analytics-on-lookup',
      { path: '^src/analytics' },
      {
        path: `^src/((${FEATURES.replace('analytics|', '')})(?!/lookup|/password-gate)|links/(?!lookup))`,
      },
    ),
    rule(
      'accounts-alone',
      { path: '^src/accounts' },
      { path: `^src/(${FEATURES.replace('accounts|', '')})` },
    ),
    rule(
      'oauth-on-accounts',
      { path: '^src/oauth' },
      { path: `^src/(${FEATURES.replace('accounts|oauth|', '')})` },
    ),
    rule(
      'keys-on-accounts',
      { path: '^src/api-keys' },
      { path: `^src/(${FEATURES.replace('accounts|', '').replace('api-keys|', '')})` },
    ),
    rule(
      'unlock-on-redirect',
      { path: '^src/unlock' },
      { path: `^src/(accounts|oauth|api-keys|analytics|legacy|pages|health|links/(?!lookup))` },
    ),
    rule('nobody-on-legacy', { path: '^src/(?!legacy|app\\.module)' }, { path: '^src/legacy' }),
    rule(
      'nobody-on-the-top',
      { path: '^src/(?!main|web|supervisor|verify)' },
      { path: '^src/(web|supervisor|main|app\\.module)' },
    ),
    rule(
      'mongoose-in-repositories',
      {
        path: '^src',
        pathNot:
          '\\.(repository|schema|mapper|module|update)\\.ts$|^src/platform/mongo|\\.spec\\.ts$|\\.process\\.ts$|\\.worker\\.ts$',
      },
      { path: '^node_modules/(mongoose|mongodb)', dependencyTypesNot: ['type-only'] },
      'Services decide, repositories touch',
    ),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '\\.spec\\.ts$' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { extensions: ['.ts', '.js'] },
  },
};
