// The compiler's settings are in .swcrc, which the build uses too.
const transform = { '^.+\\.ts$': ['@swc/jest', { sourceMaps: 'inline' }] };
const common = { transform, moduleFileExtensions: ['ts', 'js', 'json'], testEnvironment: 'node' };

/** Three tiers: unit beside the source, end to end against the built service, faults. */
module.exports = {
  projects: [
    { ...common, displayName: 'unit', testMatch: ['<rootDir>/src/**/*.spec.ts'] },
    {
      ...common,
      displayName: 'e2e',
      testMatch: ['<rootDir>/test/**/*.e2e-spec.ts'],
      globalSetup: '<rootDir>/test/support/global-setup.ts',
      globalTeardown: '<rootDir>/test/support/global-teardown.ts',
    },
    {
      ...common,
      displayName: 'faults',
      testMatch: ['<rootDir>/test/faults/**/*.fault-spec.ts'],
      globalSetup: '<rootDir>/test/support/global-setup.ts',
      globalTeardown: '<rootDir>/test/support/global-teardown.ts',
    },
  ],
  maxWorkers: 2,
  testTimeout: 60000,
};
