import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const DIST = join(__dirname, '../../../dist');

function bundledPaths(process: string): string[] {
  const text = readFileSync(join(DIST, 'bundles', `${process}.json`), 'utf8');
  return (JSON.parse(text) as { files: { path: string }[] }).files.map(({ path }) => path);
}

/** Loads what the main process may load, and counts the scripts. */
const LOAD = `
  const vm = require('node:vm');
  const counts = { scripts: 0, rejected: 0 };
  vm.Script = class extends vm.Script {
    constructor(...parameters) {
      super(...parameters);
      counts.scripts += 1;
      if (this.cachedDataRejected) counts.rejected += 1;
    }
  };
  process.argv[1] = ${JSON.stringify(join(DIST, 'main.js'))};
  require(${JSON.stringify(join(DIST, 'processes/bundle.js'))});
  const { files } = require(${JSON.stringify(join(DIST, 'bundles/main.json'))});
  for (const { path } of files) require(${JSON.stringify(join(DIST, '..'))} + path);
  const hasFetch = process.moduleLoadList.some((name) => name.includes('undici/undici'));
  process.stdout.write(JSON.stringify({ ...counts, hasFetch }), () => process.exit());
`;

describe('the bundles of the processes', () => {
  it.each(['recorder.process', 'statistics.process'])(
    '%s contains neither Nest nor zod',
    (name) => {
      const paths = bundledPaths(name);
      expect(paths).toContainEqual(expect.stringContaining('/node_modules/mongoose/'));
      expect(paths.filter((path) => /node_modules\/(@nestjs|zod)\//.test(path))).toEqual([]);
    },
  );

  it('provide every module of the web server with V8’s code cache, without fetch', () => {
    const { stdout } = spawnSync(process.execPath, ['-e', LOAD], { encoding: 'utf8' });
    const counts = JSON.parse(stdout) as Record<string, unknown>;
    expect(counts).toEqual({ scripts: expect.any(Number), rejected: 0, hasFetch: false });
    expect(counts.scripts).toBeGreaterThan(1000);
  });
});
