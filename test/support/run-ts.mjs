// node run-ts.mjs <file.ts> [arguments]: runs a TypeScript file in a separate process.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { transformSync } from '@swc/core';

const require = createRequire(import.meta.url);

require.extensions['.ts'] = (target, filename) => {
  const { code } = transformSync(readFileSync(filename, 'utf8'), {
    filename,
    jsc: {
      parser: { syntax: 'typescript', decorators: true },
      transform: { legacyDecorator: true, decoratorMetadata: true },
      target: 'es2023',
    },
    module: { type: 'commonjs' },
    sourceMaps: 'inline',
  });
  target._compile(code, filename);
};

process.argv.splice(1, 1);
require(resolve(process.argv[1]));
