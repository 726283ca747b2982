import eslint from '@eslint/js';
import prettier from 'eslint-config-prettier';
import jest from 'eslint-plugin-jest';
import tseslint from 'typescript-eslint';
import plainEnglish, { proseParser } from './scripts/eslint/plain-english.mjs';

const METHOD = '[key.name=/^(of|take|one|settle|beside)$/]';
const METHODS = [
  `MethodDefinition${METHOD}`,
  `TSAbstractMethodDefinition${METHOD}`,
  `TSMethodSignature${METHOD}`,
  `PropertyDefinition[value.type=/Function/]${METHOD}`,
  `Property[value.type=/Function/]${METHOD}`,
].join(', ');
const SUPERLATIVE =
  '/^(MOST|LONGEST|LARGEST|BIGGEST|GREATEST|LATEST|FEWEST|SHORTEST|SMALLEST|LEAST|EARLIEST)_/';

export default tseslint.config(
  // Compiled together with generated code, by the test that generates it.
  { ignores: ['dist/', 'data/', 'node_modules/', 'test/fixtures/clients/'] },
  eslint.configs.recommended,
  {
    files: ['**/*.ts', '**/*.tsx'],
    extends: [...tseslint.configs.strictTypeChecked],
    languageOptions: {
      parserOptions: {
        projectService: { allowDefaultProject: ['web/vite.config.ts'] },
        tsconfigRootDir: import.meta.dirname,
      },
    },
    rules: {
      // Nest modules are classes without members.
      '@typescript-eslint/no-extraneous-class': ['error', { allowWithDecorator: true }],
      // Numbers in messages read better than String(n) around each of them.
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      // API models and option objects are classes only because decorators and injection need a
      // run-time value; their instances are plain objects.
      '@typescript-eslint/no-unsafe-class-instance-assignment': 'off',
      // `void promise` marks a promise that is deliberately not awaited.
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      'no-duplicate-imports': 'error',
      'no-restricted-properties': [
        'error',
        {
          object: 'URL',
          property: 'canParse',
          message:
            'Once optimised, it returns false for internationalised hosts on Node.js 20 and 22: use parseUrl of config/url.',
        },
      ],
    },
  },
  {
    files: ['test/**/*.ts', 'test/support/shared/**/*.ts', '**/*.spec.ts', 'bench/**/*.ts'],
    rules: {
      // supertest responses and JSON bodies are `any`; assertions check their types.
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
      '@typescript-eslint/no-non-null-assertion': 'off',
      // Specs look for control characters that hostile input leaves behind.
      'no-control-regex': 'off',
    },
  },
  {
    // The dependency rules ignore specs, which may import helpers from test/support/shared only.
    files: ['src/**/*.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        { patterns: [{ regex: '^(?:\\.\\./)+test/(?!support/shared/)' }] },
      ],
    },
  },
  {
    files: ['test/**/*.ts', '**/*.spec.ts'],
    plugins: { jest },
    rules: {
      // Names of helpers that assert; supertest's `expect` asserts on a response.
      'jest/expect-expect': [
        'error',
        { assertFunctionNames: ['expect', 'expect*', '**.expect', 'fc.assert', 'assert*'] },
      ],
      'jest/no-focused-tests': 'error',
      'jest/no-identical-title': 'error',
      'jest/valid-expect-in-promise': 'error',
    },
  },
  {
    files: ['**/*.ts', '**/*.tsx', '**/*.mts', '**/*.mjs', '**/*.cjs', '**/*.js'],
    plugins: { words: { rules: { 'plain-english': plainEnglish } } },
    rules: { 'words/plain-english': 'error' },
  },
  {
    // Documents, style sheets and texts of emails.
    files: ['**/*.md', '**/*.css', 'src/**/templates/*.txt', 'src/**/templates/*.html'],
    plugins: { words: { rules: { 'plain-english': plainEnglish } } },
    languageOptions: { parser: proseParser },
    rules: { 'words/plain-english': 'error', 'no-irregular-whitespace': 'off' },
  },
  {
    files: ['src/**/*.ts', 'web/**/*.ts', 'web/**/*.tsx', 'web/**/*.mts'],
    rules: {
      'no-restricted-syntax': [
        'error',
        { selector: METHODS, message: "A method's name contains its object: listingFor(owner)." },
        {
          selector: `VariableDeclarator[id.name=${SUPERLATIVE}]`,
          message: 'Constants are MAX_…, MIN_… or DEFAULT_….',
        },
      ],
    },
  },
  {
    // JSX ignores the promises of handlers, such as that of a form's submit handler.
    files: ['web/**/*.ts', 'web/**/*.tsx'],
    rules: {
      '@typescript-eslint/no-misused-promises': ['error', { checksVoidReturn: false }],
    },
  },
  {
    files: ['**/*.mjs', '**/*.cjs'],
    languageOptions: {
      globals: {
        process: 'readonly',
        console: 'readonly',
        module: 'writable',
        setTimeout: 'readonly',
        clearTimeout: 'readonly',
        setInterval: 'readonly',
        fetch: 'readonly',
        AbortSignal: 'readonly',
      },
    },
  },
  {
    files: ['src/pages/static/*.js'],
    languageOptions: {
      globals: {
        AbortController: 'readonly',
        clearTimeout: 'readonly',
        document: 'readonly',
        fetch: 'readonly',
        navigator: 'readonly',
        setTimeout: 'readonly',
      },
    },
  },
  prettier,
);
