import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DEFAULT_OPTIONS, type Import } from '../../store/import';
import type { FoundVisit, VisitPage } from '../../reading/import-reader';
import { type DumpIndex, readDumpIndex } from './dump-index';
import { dumpRows } from './dump-rows';
import { dumpReader } from './dump.reader';
import { YOURLS } from './dump-sources';
import { removeFile } from '../../store/import-files';

/** Enough visits for more than two parts. */
const VISITS = 60_000;
const HOSTILE = ['tab\\there', 'line\\nbreak\\r', "it\\'s \\\\N", '\\\\x41', '\\\\.', 'é😀', ''];

describe('visits in a split dump', () => {
  const folder = mkdtempSync(join(tmpdir(), 'curtail-parts-'));
  const path = join(folder, 'dump');
  const of = { file: { path }, options: DEFAULT_OPTIONS } as unknown as Import;
  const reader = dumpReader(YOURLS);
  beforeAll(() => {
    const pad = 'x'.repeat(200);
    const rows = Array.from({ length: VISITS }, (_, i) => {
      const agent = i % 1000 === 0 ? 'NULL' : `'${HOSTILE[i % HOSTILE.length]} ${pad}'`;
      return `('2020-01-01 00:00:00','a${i % 500}',${agent},'r${i}')`;
    });
    const head = 'INSERT INTO `y_log` (`click_time`,`shorturl`,`user_agent`,`referrer`) VALUES\n';
    writeFileSync(
      path,
      [
        `${head}${rows.join(',\n')};`,
        "INSERT INTO `y_url` (`keyword`,`url`) VALUES ('a0','https://a.test/');",
        // Different columns, with an unreadable row and a readable row.
        "INSERT INTO `y_log` (`shorturl`,`click_time`) VALUES ('a1','2020-01-02','more'),('a1','2020-01-02');\n",
      ].join('\n'),
    );
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  async function allOf(
    ask: (position: object | null) => Promise<VisitPage>,
  ): Promise<FoundVisit[]> {
    const visits: FoundVisit[] = [];
    let position: object | null = null;
    do {
      const page: VisitPage = await ask(position);
      visits.push(...page.visits);
      position = page.next;
    } while (position !== null);
    return visits;
  }
  /** One text, because Jest compares long arrays slowly. */
  const sorted = (visits: readonly FoundVisit[]): string =>
    visits
      .map((visit) => JSON.stringify(visit))
      .sort()
      .join('\n');

  it('include each visit once and unchanged, and all visits of a link are in one part', async () => {
    const parts = reader.visits!;
    const count = await parts.count(of);
    expect(count).toBeGreaterThan(1);
    const found: FoundVisit[][] = [];
    for (let part = 0; part < count; part++)
      found.push(await allOf((position) => parts.page(of, part, position)));
    const index = await readDumpIndex(path, YOURLS.tables);
    const whole: FoundVisit[] = [];
    for await (const { row, named } of dumpRows(path, index as DumpIndex, 'clicks', null)) {
      if (row.values !== null) whole.push(YOURLS.visits!.visit(named));
    }
    expect(whole).toHaveLength(VISITS + 1);
    expect(sorted(found.flat()) === sorted(whole)).toBe(true);
    const links = found.map((visits) => new Set(visits.map(({ alias }) => alias)));
    expect(links.reduce((sum, { size }) => sum + size, 0)).toBe(500);
    for (const { size } of links) expect(size).toBeGreaterThan(20);
  });

  it('are in private files, which are rebuilt after an interruption and deleted with the dump', async () => {
    const left = `${path}.parts.part`;
    rmSync(`${path}.parts`, { recursive: true, force: true });
    mkdirSync(left);
    writeFileSync(join(left, '0'), 'half a li');
    await reader.visits!.page(of, 0, null);
    expect(existsSync(left)).toBe(false);
    const { visits } = await reader.visits!.page(of, 0, null);
    expect(visits[0]).toMatchObject({ at: Date.parse('2020-01-01T00:00:00Z') });
    expect(statSync(`${path}.parts`).mode & 0o777).toBe(0o700);
    expect(statSync(join(`${path}.parts`, '0')).mode & 0o777).toBe(0o600);
    await removeFile({ path });
    expect(readdirSync(folder)).toEqual([]);
  });
});
