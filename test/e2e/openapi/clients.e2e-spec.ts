import { execFile } from 'node:child_process';
import { copyFileSync, existsSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { aVerifiedAccount } from '../../support/factories/accounts';
import { DOCUMENT_VARIABLE } from '../../support/openapi/document';
import { startService, type Service } from '../../support/service';

const ROOT = join(__dirname, '../../..');
const MODULES = join(ROOT, 'node_modules');
const GENERATORS = join(ROOT, 'tools/node_modules');
const WALKS = join(ROOT, 'test/fixtures/clients');

const COMPILER_OPTIONS = {
  strict: true,
  noUncheckedIndexedAccess: true,
  target: 'es2023',
  lib: ['es2023', 'dom', 'dom.iterable'],
  module: 'nodenext',
  moduleResolution: 'nodenext',
  skipLibCheck: true,
  rootDir: '.',
  outDir: 'out',
  types: ['node'],
};

async function run(folder: string, script: string, ...args: string[]): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)(process.execPath, [script, ...args], {
      cwd: folder,
      env: { PATH: process.env.PATH, HOME: folder, NO_COLOR: '1' },
      maxBuffer: 16 * 1024 * 1024,
    });
    return stdout;
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string };
    throw new Error(`${script} has failed:\n${stdout}\n${stderr}`, { cause: error });
  }
}

(existsSync(GENERATORS) ? describe : describe.skip)('Clients generated from the document', () => {
  const document = process.env[DOCUMENT_VARIABLE] ?? '';
  let service: Service;
  let folder: string;

  beforeAll(async () => {
    service = await startService();
    folder = mkdtempSync(join(tmpdir(), 'curtail-clients-'));
    symlinkSync(MODULES, join(folder, 'node_modules'));
    writeFileSync(join(folder, 'package.json'), '{}');
  });
  afterAll(async () => {
    rmSync(folder, { recursive: true, force: true });
    await service.stop();
  });

  async function walk(name: string): Promise<string> {
    copyFileSync(join(WALKS, `${name}.walk.ts`), join(folder, `${name}.walk.ts`));
    const project = join(folder, `${name}.tsconfig.json`);
    const files = [`${name}.walk.ts`];
    writeFileSync(project, JSON.stringify({ compilerOptions: COMPILER_OPTIONS, files }));
    await run(folder, join(MODULES, 'typescript/bin/tsc'), '-p', project);
    const { accessToken, userId } = await aVerifiedAccount(service);
    return run(folder, join(folder, `out/${name}.walk.js`), service.url, accessToken, userId);
  }

  it('from openapi-typescript and openapi-fetch compile in strict mode and call all routes', async () => {
    const generator = join(GENERATORS, 'openapi-typescript/bin/cli.js');
    await run(folder, generator, document, '-o', 'schema.ts');
    expect(await walk('openapi-fetch')).toContain('walked');
  });

  it('from @hey-api/openapi-ts compile in strict mode, call all routes and send credentials', async () => {
    const generator = join(GENERATORS, '@hey-api/openapi-ts/bin/run.js');
    await run(folder, generator, '-i', document, '-o', 'sdk', '-c', '@hey-api/client-fetch');
    expect(await walk('hey-api')).toContain('walked');
  });
});
