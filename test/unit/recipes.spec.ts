import { execFileSync, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const ROOT = resolve(__dirname, '../..');
/** Imports the compiler by path, because the package does not export it. */
const TSC = join(ROOT, 'node_modules/typescript/bin/tsc');

/** A text and a time, in each place of the recipe. */
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  LINK_FIELDS: [
    "nickname: { name: 'nickname', kind: 'text', isPrivate: true, filter: 'nicknameSet' },",
    "reviewedAt: { name: 'reviewed_at', kind: 'time', isPrivate: true, filter: 'reviewed' },",
  ],
  CreateLinkDto: [
    '@IsOptional() @IsString() @ApiPropertyOptional({ type: String }) nickname?: string | null;',
    '@StartField({ optional: true }) reviewed_at?: number | string | null;',
  ],
  LinkFieldsResponse: [
    '@ApiProperty({ type: String, nullable: true }) nickname!: string | null;',
    '@ApiProperty({ ...UNIX, nullable: true }) reviewed_at!: number | null;',
  ],
  LINK_COLUMNS: ['nickname: 20,', 'reviewed_at: 12,'],
  toLinkFields: ['nickname: link.nickname,', 'reviewed_at: unixSeconds(link.reviewedAt),'],
};

const ROUND_TRIP = `
  const { writeFileSync } = require('node:fs');
  const { text } = require('node:stream/consumers');
  const { BSON } = require('mongodb');
  const { RequestValidationPipe } = require('./common/http/validation.pipe.js');
  const { csvReader } = require('./imports/sources/csv/csv.reader.js');
  const { DEFAULT_OPTIONS } = require('./imports/store/import.js');
  const { newLink } = require('./imports/verdicts/row.rules.js');
  const { csvText } = require('./infrastructure/files/csv.js');
  const { LISTED_FIELDS, toListedLink } = require('./links/link-index/listed-link.js');
  const { OwnerListing } = require('./links/link-index/owner-listing.js');
  const { LinkExportService } = require('./links/listing/listing.service.js');
  const { readFilter } = require('./links/listing/list-filter.js');
  const { CreateLinkDto, toCreateLink, toLinkUpdate, UpdateLinkDto } =
    require('./links/making/link.dto.js');
  const { toLinkItem } = require('./links/making/link.response.js');
  const { checkedSettings } = require('./links/making/link-rules.js');
  const { toLink, toRecord, toStoredSettings } = require('./stores/links/link.schema.js');
  const { TagSet } = require('./stores/tags/tag-set.js');

  const [ownerId, id] = ['a'.repeat(24), 'b'.repeat(24)];
  const addresses = {
    find: (alias) => ({ alias, domain: null, shortUrl: 'https://go.test/' + alias }),
    placesOf: () => ({ baseUrl: 'https://go.test', domains: [] }),
  };
  const shown = (stored) => {
    const item = toLinkItem(toLink(stored), TagSet.EMPTY, addresses, 0);
    return [item.nickname, item.reviewed_at];
  };
  const validated = (body, metatype) =>
    new RequestValidationPipe().transform(body, { type: 'body', metatype });

  async function findIds(links, filter) {
    const listing = new OwnerListing();
    const projected = (link) =>
      Object.fromEntries(Object.keys(LISTED_FIELDS).map((name) => [name, link[name]]));
    listing.add(links.map((link) => toListedLink(BSON.serialize(projected(link)))));
    await listing.complete();
    const page = { page: 1, pageSize: 9, sortBy: 'created_at', descending: true };
    const read = readFilter(JSON.stringify(filter), addresses.placesOf());
    return (await listing.select({ ...page, filter: read }, Date.now(), TagSet.EMPTY)).ids;
  }

  async function exportCsv(stored) {
    const files = new LinkExportService(
      { page: async () => ({ ids: [id] }) },
      { findInOrder: async () => [toLink(stored)] },
      { toItems: async (links) => links.map((link) => toLinkItem(link, TagSet.EMPTY, addresses, 0)) },
      { write: (_kind, contents) => csvText(contents.archive()) },
      addresses,
    );
    return text((await files.file({ format: 'csv' }, { ownerId })).open());
  }

  async function importCsv(csv) {
    writeFileSync('links.csv', csv);
    const file = { path: 'links.csv', name: 'links.csv', bytes: 1, sha256: '' };
    const source = { id, ownerId, source: 'csv', file, options: DEFAULT_OPTIONS };
    const { rows: [link] } = await csvReader.page(source, null, 1);
    const limits = { maxClicks: null, isUsedUp: false, isClosed: false };
    const imported = newLink(source, { link, key: 'k', linkId: id }, link.alias, limits);
    return { notes: link.notes, values: shown(toRecord(imported, new Date())) };
  }

  async function trip() {
    const body = { long_url: 'https://example.com', nickname: 'Spring', reviewed_at: '2020-05-01' };
    const requested = toCreateLink(await validated(body, CreateLinkDto), ownerId);
    const created = checkedSettings(requested, null, new Date());
    const link = { ...requested, ...created, id, alias: 'abc', tags: [], passwordHash: null };
    const record = { ...toRecord(link, new Date()), touched_at: new Date() };
    const update = async (values) => {
      const change = toLinkUpdate(await validated(values, UpdateLinkDto));
      return toStoredSettings(checkedSettings(change, toLink(record), new Date()));
    };
    const values = { nickname: '2030', reviewed_at: 1_600_000_000 };
    const changed = { ...record, ...(await update(values)) };
    const { nickname, reviewed_at, ...former } = record;
    return {
      created: shown(record),
      changed: shown(changed),
      former: shown(former),
      removed: await update({ nickname: null, reviewed_at: null }),
      invalid: await update({ reviewed_at: 'soon' }).catch(({ message }) => message),
      found: await findIds([changed], { nicknameSet: true, reviewed: true }),
      without: await findIds([former], { reviewed: true }),
      imported: await importCsv(await exportCsv(changed)),
    };
  }
  trip().then((result) => console.log(JSON.stringify(result)));
`;

function stepsOf(heading: string): { file: string; places: string[] }[] {
  const page = readFileSync(join(ROOT, 'CONTRIBUTING.md'), 'utf8');
  const recipe = page.split(/^### /m).find((text) => text.startsWith(`${heading}\n`)) ?? '';
  const steps = recipe.matchAll(/^\d\. [^(\n]*?`(src\/[^`]+\.ts)` \(([^)]*)\)/gm);
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

const RECIPES = readFileSync(join(ROOT, 'CONTRIBUTING.md'), 'utf8').split('## Recipes')[1] ?? '';

describe('the recipes', () => {
  it('refer to existing files and folders', () => {
    const paths = [...RECIPES.matchAll(/`([\w.-]+(?:\/[\w.-]+)+|[\w-]+\.yml)`/g)];
    const missing = paths
      .map(([, path = '']) => path)
      .filter((path) => !existsSync(join(ROOT, path)));
    expect(paths.length).toBeGreaterThan(60);
    expect(missing).toEqual([]);
  });

  it('refer to places that exist in those files', () => {
    const places = [...RECIPES.matchAll(/`([\w/.-]+\.tsx?)`\s\(([^)]*)\)/g)].flatMap(
      ([, file = '', names = '']) =>
        [...names.matchAll(/`(\w+)`/g)].map(([, name = '']) => ({ file, name })),
    );
    const missing = places.filter(
      ({ file, name }) => !new RegExp(`\\b${name}\\b`).test(readFileSync(join(ROOT, file), 'utf8')),
    );
    expect(places.length).toBeGreaterThan(30);
    expect(missing).toEqual([]);
  });
});

describe('the recipe "A new link field"', () => {
  const copy = mkdtempSync(join(tmpdir(), 'curtail-recipe-'));
  const steps = stepsOf('A new link field');

  beforeAll(() => {
    for (const name of ['src', 'package.json', 'tsconfig.json', 'tsconfig.build.json']) {
      cpSync(join(ROOT, name), join(copy, name), { recursive: true });
    }
    symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
  });

  afterAll(() => {
    rmSync(copy, { recursive: true });
  });

  it('lists each place once, in three files', () => {
    expect(steps).toHaveLength(3);
    expect(steps.flatMap(({ places }) => places).sort()).toEqual(Object.keys(FIELDS).sort());
  });

  it('contains all places that a field needs in requests, lists, filters, exports and imports', () => {
    for (const { file, places } of steps) {
      const path = join(copy, file);
      const edited = places.reduce(
        (source, name) => withLine(source, name, FIELDS[name]?.join('\n') ?? ''),
        readFileSync(path, 'utf8'),
      );
      writeFileSync(path, edited);
    }
    const compile = [TSC, '-p', 'tsconfig.build.json', '--outDir', 'out'];
    expect(spawnSync(process.execPath, compile, { cwd: copy }).stdout.toString()).toBe('');
    const printed = execFileSync(process.execPath, ['-e', ROUND_TRIP], { cwd: join(copy, 'out') });
    expect(JSON.parse(printed.toString())).toEqual({
      created: ['Spring', 1_588_291_200],
      changed: ['2030', 1_600_000_000],
      former: [null, null],
      removed: { nickname: null, reviewed_at: null },
      invalid: 'reviewed_at is not a valid time',
      found: ['b'.repeat(24)],
      without: [],
      imported: { notes: [], values: ['2030', 1_600_000_000] },
    });
  });
});
