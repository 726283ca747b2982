import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Connection } from 'mongoose';
import { ApiClient } from '../../support/api-client';
import { databaseOf } from '../../support/database';
import { journalEmpty } from '../../support/exact-clicks';
import { visit } from '../../support/http';
import { endedImport, importLimits, sendImport } from '../../support/importing';
import { type Service, startService } from '../../support/service';

/** The acceptance run uses 100,000. */
const ROWS = Number(process.env.IMPORT_ROWS ?? 20_000);
const BAD = 500;
const SEED = Number(process.env.IMPORT_SEED ?? 22);
const ALIASES = 1000;
/** Capacity of a version 10 QR code at level M (docs/contract.md#21.2). */
const MAX_QR_BYTES = 213;

jest.setTimeout(900_000);

describe('imports of many rows', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'curtail-many-'));
  let service: Service;
  let owner: ApiClient;
  let database: Connection;

  beforeAll(async () => {
    service = await startService({ dataDir, env: { LIMITS_FILE: importLimits() } });
    database = await databaseOf(service);
  });
  beforeEach(async () => {
    owner = await ApiClient.on(service);
  });
  afterAll(async () => {
    await database.close();
    await service.stop();
    rmSync(dataDir, { recursive: true });
  });

  /** Returns the documents in all collections that a check must not change. */
  async function stored(): Promise<Record<string, number>> {
    const names = ['links', 'tags', 'imported_counts', 'ledgers', 'click_blocks', 'accounts'];
    const counts = await Promise.all(
      names.map((name) => database.collection(name).countDocuments()),
    );
    return Object.fromEntries(names.map((name, i) => [name, counts[i] ?? 0]));
  }

  it('report exactly the invalid rows, and change nothing in a check', async () => {
    const { alias: taken } = await owner.aLink();
    const good = (row: number): string => `m${row},https://a.test/${row},"Title, ${row}",`;
    // Checks row by row, because invalid rows may refer to the preceding valid row.
    const kinds: [string, (row: number) => string][] = [
      ['row_unreadable', (row) => `m${row},https://a.test/,,,x`],
      ['row_unreadable', (row) => `m${row},https://a.test/,"open,`],
      ['row_unreadable', (row) => `m${row},https://a.test/,"a"b,`],
      ['row_unreadable', (row) => `m${row},https://a.test/,${'x'.repeat(65_537)},`],
      ['row_unreadable', (row) => `m${row},https://a.test/\0,,`],
      ['alias_unsupported', (row) => `m/${row},https://a.test/,,`],
      ['alias_unsupported', (row) => `${'a'.repeat(129)}${row},https://a.test/,,`],
      ['alias_unsupported', () => `..,https://a.test/,,`],
      ['alias_reserved', () => `Dashboard,https://a.test/,,`],
      ['destination_unsupported', (row) => `m${row},,,`],
      ['destination_unsupported', (row) => `m${row},ftp://a.test/,,`],
      ['destination_unsupported', (row) => `m${row},https://a.test/${'x'.repeat(8200)},,`],
      ['destination_unsupported', (row) => `m${row},https://a b.test/,,`],
      ['destination_loop', (row) => `m${row},${service.url}/none,,`],
      ['duplicate_in_file', (row) => `m${row - 1},https://b.test/,,`],
      ['unchanged', (row) => good(row - 1)],
      ['alias_taken', () => `${taken},https://a.test/,,`],
      ['protected_skipped', (row) => `m${row},https://a.test/,,secret`],
    ];
    const gap = Math.floor(ROWS / BAD);
    const planted = new Map<number, string>();
    const lines = Array.from({ length: ROWS }, (_, i) => {
      const row = i + 2;
      if (i % gap !== gap - 1 || planted.size >= BAD) return good(row);
      const [verdict, line] = kinds[planted.size % kinds.length] as (typeof kinds)[number];
      // Rows that repeat the taken alias describe the same link, so they are unchanged.
      const isAgain = verdict === 'alias_taken' && [...planted.values()].includes(verdict);
      planted.set(row, isAgain ? 'unchanged' : verdict);
      return line(row);
    });
    const file = gzipSync(['alias,url,title,password', ...lines, ''].join('\n'));
    const before = await stored();
    const id = await sendImport(service, owner, file, 'csv', { protected: 'skip' });
    const done = await endedImport(owner, id);
    expect(done).toMatchObject({ state: 'done', proof: null });
    expect(done.counts.created).toBe(ROWS - BAD);
    expect(await stored()).toEqual(before);
    const report = await owner.call('get', `/api/v1/imports/${id}/report.csv`);
    const named = report.text
      .split('\r\n')
      .map((line) => /^(\d+),.*?,"([a-z_]+)","[a-z_ ]*",/.exec(line))
      .flatMap((found) => (found === null || found[2] === 'created' ? [] : [found]));
    expect(new Map(named.map(([, row, verdict]) => [Number(row), verdict]))).toEqual(planted);
  });

  it('change nothing with the same file, and add only the new rows of a longer file', async () => {
    const count = ROWS / 10;
    const line = (i: number): string => `again.${i},https://a.test/${i}`;
    const of = (length: number): Buffer =>
      gzipSync(['alias,url', ...Array.from({ length }, (_, i) => line(i))].join('\n'));
    const run = async (file: Buffer) =>
      endedImport(owner, await sendImport(service, owner, file, 'csv', { dry_run: false }));
    expect((await run(of(count))).counts).toEqual({ created: count });
    expect((await run(of(count))).counts).toEqual({ unchanged: count });
    const longer = await run(of(count * 1.01));
    expect(longer.counts).toEqual({ unchanged: count, created: count / 100 });
    expect(longer.proof).toMatchObject({ differences: 0 });
    const query = { filter: JSON.stringify({ source: longer.id }), pageSize: 100 };
    const { items } = (await owner.list(query)).body as { items: { alias: string }[] };
    const added = Array.from({ length: count / 100 }, (_, i) => `again.${count + i}`);
    expect(items.map(({ alias }) => alias).sort()).toEqual(added.sort());
  });

  it(`have aliases that the whole service finds (seed ${SEED})`, async () => {
    const aliases = aliasesOf(SEED);
    const file = [
      'alias,url,password',
      ...aliases.map((alias, i) => `${alias},https://a.test/${i},`),
    ];
    const id = await sendImport(service, owner, file.join('\n'), 'csv', { dry_run: false });
    expect(await endedImport(owner, id)).toMatchObject({
      state: 'done',
      counts: { created: ALIASES },
    });
    const links = await linksOf(owner, id);
    expect(links.size).toBe(ALIASES);
    for (const [i, alias] of aliases.entries()) {
      const { headers, status } = await visit(service, encodeURIComponent(alias));
      expect([alias, status, headers.location]).toEqual([alias, 302, `https://a.test/${i}`]);
    }
    await journalEmpty(dataDir);
    // Tests the shortest, the longest and some other aliases on every screen and route.
    const sorted = [...aliases].sort((a, b) => a.length - b.length);
    const some = sorted.filter((_, i) => i % 50 === 0 || i === ALIASES - 1);
    for (const alias of some) {
      const link = links.get(alias) ?? '';
      const path = encodeURIComponent(alias);
      const html = { Accept: 'text/html' };
      const preview = await visit(service, `${path}+`, html);
      expect([alias, preview.status]).toEqual([alias, 200]);
      expect(preview.text).toContain(`https://a.test/${aliases.indexOf(alias)}`);
      const search = { filter: JSON.stringify({ search: alias }), pageSize: 100 };
      const found = await owner.list(search);
      const { items } = found.body as { items: { alias: string }[] };
      if (alias.length > 4) expect(items.map((item) => item.alias)).toContain(alias);
      const query = { scope: 'all', short_code: alias };
      const stats = await owner.call('get', '/api/v1/stats').query(query);
      expect([alias, stats.status, stats.body.summary?.total_clicks >= 1]).toEqual([
        ...[alias, 200, true],
      ]);
      const picture = await visit(service, `${path}/qr.png`);
      const fits = Buffer.byteLength(`${service.url}/${path}`) <= MAX_QR_BYTES;
      expect([alias, picture.status]).toEqual([alias, fits ? 200 : 400]);
      expect((await owner.update(link, { password: 'secret1@' })).status).toBe(200);
      const form = await visit(service, path, html);
      expect([alias, form.status, /type="password"/.test(form.text)]).toEqual([alias, 401, true]);
    }
  });

  it('never create an alias that is a path of the service', async () => {
    const fixed = ['api', 'auth', 'oauth', 'dashboard', 'login', 'register', 'health', 'metrics'];
    const file = ['alias,url', ...fixed.map((alias) => `${alias},https://a.test/`)].join('\n');
    const id = await sendImport(service, owner, file, 'csv', { dry_run: false });
    expect((await endedImport(owner, id)).counts).toEqual({ alias_reserved: fixed.length });
    for (const alias of fixed) {
      expect((await visit(service, alias)).headers.location).not.toBe('https://a.test/');
    }
  });
});

async function linksOf(owner: ApiClient, id: string): Promise<Map<string, string>> {
  const links = new Map<string, string>();
  for (let page = 1; ; page++) {
    const query = { filter: JSON.stringify({ source: id }), pageSize: 100, page };
    const { body } = await owner.list(query);
    const { items, hasNext } = body as { items: { id: string; alias: string }[]; hasNext: boolean };
    for (const item of items) links.set(item.alias, item.id);
    if (!hasNext) return links;
  }
}

/** Distinct aliases of all lengths without reserved prefixes. */
function aliasesOf(seed: number): string[] {
  let state = seed;
  const below = (limit: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
  const signs = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.~..~~';
  const emoji = ['🚀', '🎉', '😀', '🐙', '🍕'];
  const found = new Set<string>();
  while (found.size < ALIASES) {
    const length = 1 + (found.size % 128);
    let alias = '';
    while (alias.length < length) {
      const isEmoji = below(12) === 0 && alias.length + 2 <= length;
      alias += isEmoji ? (emoji[below(emoji.length)] ?? '') : (signs[below(signs.length)] ?? '');
    }
    if (!/^\.{1,2}$/.test(alias)) found.add(alias);
  }
  return [...found];
}
