import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const ROOT = resolve(__dirname, '../..');
/** Imports the compiler by path, because the package does not export it. */
const TSC = join(ROOT, 'node_modules/typescript/bin/tsc');

const NICKNAME: Readonly<Record<string, string>> = {
  LinkSettings: 'readonly nickname: string | null;',
  DEFAULT_SETTINGS: 'nickname: null,',
  LinkRecord: 'nickname?: string | null;',
  STORED_SETTINGS: "nickname: 'nickname',",
  toRememberedLink: 'nickname: record.nickname ?? null,',
  CreateLinkDto:
    '@IsOptional() @IsString() @ApiPropertyOptional({ type: String }) nickname?: string | null;',
  toCreateLink: 'nickname: body.nickname ?? null,',
  toLinkUpdate: 'nickname: body.nickname,',
  LinkItemResponse: '@ApiProperty({ type: String, nullable: true }) nickname!: string | null;',
  LINK_COLUMNS: 'nickname: 20,',
  toLinkItem: 'nickname: link.nickname,',
};

const ROUND_TRIP = `
  const { toCreateLink, toLinkUpdate } = require('./links/making/link.dto.js');
  const { LINK_COLUMNS, toLinkItem } = require('./links/making/link.response.js');
  const { toLink, toRecord, toStoredSettings } = require('./stores/links/link.schema.js');
  const { TagSet } = require('./stores/tags/tag-set.js');
  const addresses = { find: (alias) => ({ alias, domain: null, shortUrl: '' }) };
  const body = { long_url: 'https://example.com', nickname: 'Spring' };
  const { password, ...asked } = toCreateLink(body, 'a'.repeat(24));
  const record = toRecord({ ...asked, alias: 'abc', passwordHash: null }, new Date());
  const shown = (stored) => toLinkItem(toLink(stored), TagSet.EMPTY, addresses, 0).nickname;
  const { nickname, ...former } = record;
  console.log(JSON.stringify({
    made: shown(record),
    former: shown(former),
    removed: toStoredSettings(toLinkUpdate({ nickname: null })),
    inFiles: 'nickname' in LINK_COLUMNS,
  }));
`;

function stepsOf(heading: string): { file: string; places: string[] }[] {
  const page = readFileSync(join(ROOT, 'CONTRIBUTING.md'), 'utf8');
  const recipe = page.split(/^### /m).find((text) => text.startsWith(`${heading}\n`)) ?? '';
  const steps = recipe.matchAll(/^\d\. [^(]*?`(src\/[^`]+\.ts)` \(([^)]*)\)/gm);
  return [...steps].map(([, file = '', names = '']) => ({
    file,
    places: [...names.matchAll(/`(\w+)`/g)].map(([, name = '']) => name),
  }));
}

function withLine(source: string, name: string, line: string): string {
  const at = source.search(
    new RegExp(`^(?:export )?(?:interface|class|const|function) ${name}\\b`, 'm'),
  );
  const opening = source.slice(at).includes(`function ${name}(`) ? 'return {\n' : '{\n';
  const from = at === -1 ? -1 : source.indexOf(opening, at);
  if (from === -1) throw new Error(`There is no ${name}`);
  const end = from + opening.length;
  return `${source.slice(0, end)}${line}\n${source.slice(end)}`;
}

describe('the recipe "A new field of a link"', () => {
  const copy = mkdtempSync(join(tmpdir(), 'curtail-recipe-'));
  const steps = stepsOf('A new field of a link');

  beforeAll(() => {
    for (const name of ['src', 'package.json', 'tsconfig.json', 'tsconfig.build.json']) {
      cpSync(join(ROOT, name), join(copy, name), { recursive: true });
    }
    symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
  });

  afterAll(() => {
    rmSync(copy, { recursive: true });
  });

  it('lists each place once, in four files', () => {
    expect(steps).toHaveLength(4);
    expect(steps.flatMap(({ places }) => places).sort()).toEqual(Object.keys(NICKNAME).sort());
  });

  it('covers all that a field needs on its way from a request to lists and their files', () => {
    for (const { file, places } of steps) {
      const path = join(copy, file);
      const edited = places.reduce(
        (source, name) => withLine(source, name, NICKNAME[name] ?? ''),
        readFileSync(path, 'utf8'),
      );
      writeFileSync(path, edited);
    }
    const compile = [TSC, '-p', 'tsconfig.build.json', '--outDir', 'out'];
    expect(spawnSync(process.execPath, compile, { cwd: copy }).stdout.toString()).toBe('');
    const printed = execFileSync(process.execPath, ['-e', ROUND_TRIP], { cwd: join(copy, 'out') });
    expect(JSON.parse(printed.toString())).toEqual({
      made: 'Spring',
      former: null,
      removed: { nickname: null },
      inFiles: true,
    });
  });
});
