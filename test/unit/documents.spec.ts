import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { VARIABLE_NAMES } from '../../src/config/environment.schema';

const ROOT = resolve(__dirname, '../..');
const CONTRACT = 'docs/contract.md';

function filesBelow(folder: string, ending: RegExp): string[] {
  const entries = readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && ending.test(entry.name))
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)));
}

function read(file: string): string {
  return readFileSync(join(ROOT, file), 'utf8');
}

const documents = [
  ...readdirSync(ROOT).filter((name) => name.endsWith('.md')),
  ...filesBelow('docs', /\.md$/),
  ...filesBelow('.github', /\.md$/),
];
const code = ['src', 'test', 'bench', 'scripts'].flatMap((folder) =>
  filesBelow(folder, /\.(?:ts|mjs|cjs)$/),
);

function anchorsOf(file: string): Set<string> {
  const text = read(file);
  const anchors = [...text.matchAll(/<a id="([^"]+)">/g)].map(([, id]) => id ?? '');
  const headings = [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );
  return new Set([...anchors, ...headings]);
}

function citations(files: readonly string[], pattern: RegExp): { file: string; cited: string }[] {
  return files.flatMap((file) =>
    [...read(file).matchAll(pattern)].map(([, cited = '']) => ({ file, cited })),
  );
}

describe('the documents', () => {
  it('contain an anchor for every section of the contract, in order', () => {
    const headings = [...read(CONTRACT).matchAll(/^##+ (\d+(?:\.\d+)?)[. ]/gm)];
    const anchors = [...read(CONTRACT).matchAll(/<a id="([^"]+)">/g)];
    expect(anchors.map(([, id]) => id)).toEqual(headings.map(([, number]) => number));
    expect(anchors.length).toBeGreaterThan(50);
  });

  it('contain every section of the contract that is cited anywhere', () => {
    const sections = anchorsOf(CONTRACT);
    const cited = citations([...code, ...documents], /contract\.md#(\d+(?:\.\d+)?)/g);
    expect(cited.length).toBeGreaterThan(100);
    expect(cited.filter((citation) => !sections.has(citation.cited))).toEqual([]);
  });

  it('link only to existing files and headings', () => {
    const links = citations(documents, /\]\((?!https?:|mailto:)([^)\s]+)\)/g);
    expect(links.length).toBeGreaterThan(20);
    const broken = links.filter(({ file, cited }) => {
      const [path = '', anchor] = cited.split('#');
      const target = path === '' ? file : join(dirname(file), decodeURI(path));
      if (!existsSync(join(ROOT, target))) return true;
      return anchor !== undefined && !anchorsOf(target).has(anchor);
    });
    expect(broken).toEqual([]);
  });

  it('exist if comments and documents refer to them', () => {
    const named = citations([...code, ...documents], /\b(docs\/[\w./-]+\.md)\b/g);
    expect(named.filter(({ cited }) => !existsSync(join(ROOT, cited)))).toEqual([]);
  });
});

describe('the documented configuration', () => {
  /** Returns the first column of the table below a heading. */
  function tableBelow(file: string, heading: RegExp): string[] {
    const section = read(file).split(heading)[1]?.split(/^#/m)[0] ?? '';
    const rows = section.split('\n').filter((line) => line.startsWith('|'));
    return rows.flatMap((row) => row.split('|')[1]?.match(/\b[A-Z][A-Z0-9_]+\b/g) ?? []).sort();
  }

  it('contains exactly the variables that the program reads, in the contract', () => {
    const named = [/^## 16\. .*$/m, /^### 16\.1 .*$/m].flatMap((of) => tableBelow(CONTRACT, of));
    expect(named.sort()).toEqual(VARIABLE_NAMES);
  });

  it('contains all of them on its own page, except the addresses for tests', () => {
    const forTests = /_(?:AUTHORIZATION|TOKEN|USERINFO)_URL$/;
    const wanted = VARIABLE_NAMES.filter((name) => !forTests.test(name));
    expect(tableBelow('docs/configuration.md', /^# Configuration$/m)).toEqual(wanted);
  });
});

describe('the lengths of documents', () => {
  const lines = (file: string) => read(file).trimEnd().split('\n').length;

  it('also contain the Node.js release of the development image', () => {
    const [, release] = /^ARG NODE=(\d+)$/m.exec(read('Dockerfile')) ?? [];
    expect(read('.nvmrc').trim()).toBe(release);
    expect(read('CONTRIBUTING.md')).toContain(`Node.js ${release} (`);
  });

  it('are limited to 100 lines for the README and 60 lines for each decision', () => {
    expect(lines('README.md')).toBeLessThanOrEqual(100);
    const records = filesBelow('docs/adr', /^\d{4}-.*\.md$/);
    expect(records.length).toBeGreaterThan(20);
    expect(records.filter((file) => lines(file) > 60)).toEqual([]);
  });
});
