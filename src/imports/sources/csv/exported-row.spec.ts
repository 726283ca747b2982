import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { csvHeader, csvLine } from '../../../infrastructure/files/csv';
import type { Cell } from '../../../infrastructure/files/table';
import type { SourceLink } from '../../reading/source-link';
import { type CsvMapping } from '../../reading/csv-fields';
import { type Import, DEFAULT_OPTIONS } from '../../store/import';
import { csvReader } from './csv.reader';

const OPEN = {
  alias: 'a',
  short_url: 'https://go.test/a',
  long_url: 'https://a.test/',
  status: 'ACTIVE',
  private_stats: true,
  block_bots: false,
  password_set: false,
  count_bots: true,
  forward_query: false,
};

const ISO_COUNTRIES =
  'AD AE AF AG AI AL AM AO AR AT AU AZ BA BB BD BE BF BG BH BI BJ BN BO BR BS BT BW BY BZ CA CH CL CN CO CR CU CY CZ DE DK'.split(
    ' ',
  );

describe("a row of Curtail's CSV export", () => {
  const folder = mkdtempSync(join(tmpdir(), 'curtail-exported-'));
  const path = join(folder, 'links.csv');

  afterAll(() => rmSync(folder, { recursive: true }));

  async function readCsv(csv: string, mapping: CsvMapping = {}): Promise<SourceLink> {
    writeFileSync(path, csv);
    const file = { name: 'links.csv', path, bytes: 1, sha256: '' };
    const options = { ...DEFAULT_OPTIONS, mapping };
    const { rows } = await csvReader.page({ file, options } as unknown as Import, null, 1);
    expect(rows).toHaveLength(1);
    return rows[0] as SourceLink;
  }

  const toCsv = (cells: Readonly<Record<string, Cell>>): string =>
    csvHeader(Object.keys(cells)) + csvLine(Object.values(cells));
  const read = (cells: Readonly<Record<string, Cell>>, mapping?: CsvMapping) =>
    readCsv(toCsv({ ...OPEN, ...cells }), mapping);

  it('has the default settings if its cells have them', async () => {
    expect(await read({})).toMatchObject({
      ...{ isArchived: false, isProtected: false, blockBots: false, privateStats: true },
      settings: { countBots: true, forwardQuery: false },
      ...{ notes: [], message: null },
    });
  });

  it('keeps each setting of the link', async () => {
    const condition = { field: 'os', values: ['iOS'] };
    const link = await read({
      ...{ private_stats: false, block_bots: true, count_bots: false, forward_query: true },
      starts_at: 4_000_000_000,
      pre_start_url: 'https://a.test/soon',
      expired_redirect_url: 'https://a.test/over',
      rules: JSON.stringify([{ key: 'r1', when: [condition], to: 'https://a.test/ios' }]),
      geo_rules: '{"DE":"https://a.test/de"}',
      ab_variants: '[{"key":"1","url":"https://a.test/b","weight":40}]',
    });
    expect(link).toMatchObject({
      ...{ privateStats: false, blockBots: true, notes: [], message: null },
      settings: {
        countBots: false,
        forwardQuery: true,
        startsAt: new Date(4_000_000_000_000),
        preStartUrl: 'https://a.test/soon',
        expiredRedirectUrl: 'https://a.test/over',
        destinations: {
          rules: [{ when: [condition], to: 'https://a.test/ios' }],
          geoRules: { DE: 'https://a.test/de' },
          abVariants: [{ url: 'https://a.test/b', weight: 40 }],
        },
      },
    });
  });

  it.each([
    ['of a disabled link', { status: 'INACTIVE' }, { isArchived: true, isProtected: false }],
    [
      'of a blocked link',
      { status: 'BLOCKED', blocked: '{"reason":"Phishing","at":"2030-01-01T00:00:00Z"}' },
      { isArchived: true },
    ],
    ['of a link with a password', { password_set: true }, { isProtected: true, isArchived: false }],
    [
      'of a link that its limit has closed',
      { status: 'INACTIVE', max_clicks: 5, total_clicks: 5 },
      { isArchived: false, maxClicks: 5, clicks: 5 },
    ],
    [
      'of a scheduled link, which may be paused',
      { status: 'INACTIVE', starts_at: 4_000_000_000 },
      { isArchived: true },
    ],
    [
      'of a scheduled link that is not paused',
      { status: 'INACTIVE', starts_at: 4_000_000_000, paused: false },
      { isArchived: false },
    ],
    [
      'of a link that started after the export',
      { status: 'INACTIVE', starts_at: 1_600_000_000, paused: false },
      { isArchived: false },
    ],
    [
      'of a paused link that is scheduled',
      { status: 'INACTIVE', starts_at: 4_000_000_000, paused: true },
      { isArchived: true },
    ],
    [
      'of a paused link that has expired',
      { status: 'INACTIVE', expire_after: 1_600_000_000, paused: true },
      { isArchived: true },
    ],
    [
      'of a paused link that has reached its limit',
      { status: 'INACTIVE', max_clicks: 5, total_clicks: 5, paused: true },
      { isArchived: true },
    ],
    [
      'of a blocked link that is not paused',
      { status: 'BLOCKED', starts_at: 4_000_000_000, paused: false },
      { isArchived: true },
    ],
    [
      'of a link that was disabled in the file',
      { status: 'INACTIVE', paused: false },
      { isArchived: true },
    ],
    [
      'of a link that was enabled in the file',
      { status: 'ACTIVE', paused: true },
      { isArchived: false },
    ],
    [
      'of a link with imported clicks',
      { total_clicks: 5, imported_clicks: 7 },
      { clicks: 5, pastClicks: 12 },
    ],
    [
      'of an expired link',
      { status: 'INACTIVE', expire_after: 1_600_000_000 },
      { isArchived: false, expireAfter: new Date(1_600_000_000_000) },
    ],
    [
      'of a disabled link that has started and not expired',
      { status: 'INACTIVE', starts_at: 1_600_000_000, expire_after: 4_000_000_000 },
      { isArchived: true },
    ],
    [
      'of a blocked link that has expired',
      { status: 'BLOCKED', expire_after: 1_600_000_000 },
      { isArchived: true },
    ],
    ['with texts after apostrophes', { title: "''=x", note: "'x" }, { title: "''=x", note: "'x" }],
    [
      'with guarded texts',
      { alias: '-1-2', title: '=SUM(A1)', tags: '+a|b, Zoo', note: "'=x" },
      { alias: '-1-2', title: '=SUM(A1)', tagNames: ['+a|b', 'Zoo'], note: "'=x" },
    ],
  ])('%s is like the link', async (_title, cells, link) => {
    expect(await read(cells)).toMatchObject({ ...link, notes: [] });
  });

  it.each([
    [
      'rules',
      Array.from({ length: 20 }, (_, i) => ({
        when: [{ field: 'query', name: `q${i}`, values: Array(20).fill('x'.repeat(100)) }],
        to: `https://a.test/${'x'.repeat(2000)}`,
      })),
    ],
    [
      'geo_rules',
      Object.fromEntries(
        ISO_COUNTRIES.map((country) => [country, `https://a.test/${'x'.repeat(2000)}`]),
      ),
    ],
  ])('keeps %s of more than 64 KiB', async (name, value) => {
    const cell = JSON.stringify(value);
    expect(cell.length).toBeGreaterThan(64 * 1024);
    const link = await read({ [name]: cell });
    expect(link).toMatchObject({ alias: 'a', notes: [] });
    expect(link.settings?.destinations).toBeDefined();
  });

  it('is unreadable if another text has more than 64 KiB', async () => {
    expect(await read({ title: 'x'.repeat(70_000) })).toMatchObject({
      problem: 'a field is longer than 64 KiB',
    });
  });

  it('can be read after a spreadsheet program has saved it', async () => {
    const csv = toCsv({ ...OPEN, status: 'INACTIVE' }).replaceAll('true', 'TRUE');
    const link = await readCsv(csv.replaceAll('false', 'FALSE').replaceAll(',', ';'));
    expect(link).toMatchObject({ isArchived: true, privateStats: true, isProtected: false });
    expect(link.settings).toEqual({ countBots: true, forwardQuery: false });
  });

  it.each([
    ['rules', 'none'],
    ['rules', '['.repeat(1000)],
    ['geo_rules', '[1]'],
    ['count_bots', 'maybe'],
    ['starts_at', '{"a":1}'],
    ['pre_start_url', 'x'.repeat(3000)],
  ])('drops a %s cell that no export contains, and reports it', async (name, cell) => {
    const { longUrl, notes, message } = await read({ [name]: cell });
    expect(longUrl).toBe('https://a.test/');
    expect(notes).toEqual(['feature_dropped']);
    expect(message).toContain(`{"${name}":`);
  });

  it('is read with the columns that the owner assigns', async () => {
    const link = await read({ status: 'INACTIVE', title: 'A' }, { archived: null, title: null });
    expect(link).toMatchObject({ isArchived: false, title: null });
  });

  it('is not mistaken for a row of another service', async () => {
    const csv = toCsv({
      alias: 'a',
      url: 'https://a.test/',
      status: 'off',
      rules: 'x',
      tags: 'a, b',
    });
    const link = await readCsv(csv);
    expect(link).toMatchObject({ isArchived: false, tagNames: ['a', 'b'], notes: [] });
    expect([link.settings, link.privateStats]).toEqual([undefined, undefined]);
  });
});
