// The compiler's settings are in .swcrc, which the build uses too.
const swc = ['@swc/jest', { sourceMaps: 'inline' }];
// Unlike Node.js, Jest cannot require ES modules, and this package has no other form.
const esm = 'node_modules/temporal-(polyfill|utils)/';
const outside = '<rootDir>/test/support/outside.setup.ts';
const common = {
  transform: { '^.+\\.ts$': swc, [`${esm}.+\\.js$`]: swc },
  transformIgnorePatterns: ['/node_modules/(?!temporal-(polyfill|utils)/)'],
  moduleFileExtensions: ['ts', 'js', 'json'],
  testEnvironment: 'node',
};

/**
 * Four tiers, named after what they need: unit (nothing; next to the source), integration (the
 * database engine), e2e (a running service), faults (a running service with injected faults).
 */
module.exports = {
  projects: [
    {
      ...common,
      displayName: 'unit',
      setupFiles: ['<rootDir>/test/support/unit.setup.ts'],
      testMatch: ['<rootDir>/src/**/*.spec.ts', '<rootDir>/test/unit/**/*.spec.ts'],
    },
    {
      ...common,
      displayName: 'integration',
      testMatch: ['<rootDir>/test/integration/**/*.int-spec.ts'],
      globalSetup: '<rootDir>/test/support/global-setup.ts',
      globalTeardown: '<rootDir>/test/support/global-teardown.ts',
    },
    {
      ...common,
      displayName: 'e2e',
      testMatch: ['<rootDir>/test/e2e/**/*.e2e-spec.ts'],
      setupFiles: [outside],
      setupFilesAfterEnv: ['<rootDir>/test/support/openapi/check-answers.setup.ts'],
      globalSetup: '<rootDir>/test/support/global-setup.ts',
      globalTeardown: '<rootDir>/test/support/global-teardown.ts',
    },
    {
      ...common,
      displayName: 'faults',
      testMatch: ['<rootDir>/test/faults/**/*.fault-spec.ts'],
      setupFiles: [outside],
      globalSetup: '<rootDir>/test/support/global-setup.ts',
      globalTeardown: '<rootDir>/test/support/global-teardown.ts',
    },
  ],
  maxWorkers: 2,
  testTimeout: 300000,
};
