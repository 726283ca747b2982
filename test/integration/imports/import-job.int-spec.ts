import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { type Connection, Types } from 'mongoose';
import { AccountRecord, AccountSchema } from '../../../src/accounts/account/account.schema';
import { AccountsRepository } from '../../../src/accounts/account/accounts.repository';
import { LocalBus } from '../../../src/infrastructure/change-bus/change-bus.module';
import { LeaseLostError, type RunningJob } from '../../../src/infrastructure/jobs/job-kind';
import type { Mail, MailSender } from '../../../src/infrastructure/mail/mail-sender';
import { LINK_MODEL, LinkSchema } from '../../../src/stores/links/link.schema';
import { ClosedOwners } from '../../../src/stores/links/closed-owners';
import { LinkReads } from '../../../src/stores/links/link-reads.repository';
import { LinksRepository } from '../../../src/stores/links/links.repository';
import { RemovedLinksRepository } from '../../../src/stores/links/removed-links.repository';
import { LinkCache } from '../../../src/links/cache/link-cache';
import { BlockedDestinations } from '../../../src/blocklists/blocked-destinations';
import {
  DEFAULT_OPTIONS,
  type ImportOptions,
  type ImportRow,
  type ImportSource,
  isProved,
} from '../../../src/imports/store/import';
import type { ImportCursor, ImportInput } from '../../../src/imports/running/import-cursor';
import { ImportJob, ImportReaders } from '../../../src/imports/running/import.job';
import { ProofStage, VisitsStage } from '../../../src/imports/running/proof.stage';
import { RowsStage } from '../../../src/imports/running/rows.stage';
import {
  ImportRecord,
  ImportRowRecord,
  ImportRowSchema,
  ImportSchema,
} from '../../../src/imports/store/import.schema';
import {
  CountsRevisionRecord,
  CountsRevisionSchema,
  ImportedCountsRecord,
  ImportedCountsSchema,
} from '../../../src/stores/imported-counts/imported-counts.schema';
import { NodeLeaseRepository } from '../../../src/clicks/recorder/node-lease.repository';
import { VisitorKeyRepository } from '../../../src/clicks/recorder/visitor-key.repository';
import { ClickDaysRepository } from '../../../src/clicks/store/click-days.repository';
import { ClickHomeRepository } from '../../../src/clicks/store/click-home.repository';
import { ClickStoreRepository } from '../../../src/clicks/store/click-store.repository';
import { DroppedClicksRepository } from '../../../src/clicks/store/dropped-clicks.repository';
import { LinkVisitImport } from '../../../src/imports/history/link-visit-import';
import {
  ImportedLinkRecord,
  ImportedLinkSchema,
  ImportedLinksRepository,
} from '../../../src/imports/store/imported-links.repository';
import { VisitImport } from '../../../src/imports/history/visit-import';
import { ImportNodes, VisitRecorder } from '../../../src/imports/history/visit-recorder';
import { ImportedCountsRepository } from '../../../src/stores/imported-counts/imported-counts.repository';
import { ImportMails } from '../../../src/imports/running/import-mails';
import { ImportedDestinations } from '../../../src/imports/verdicts/imported-destinations';
import { ImportRemains } from '../../../src/imports/running/import-remains';
import { ImportRowsRepository } from '../../../src/imports/store/import-rows.repository';
import { ImportsRepository } from '../../../src/imports/store/imports.repository';
import { RowJudge } from '../../../src/imports/verdicts/row-judge';
import { RowWriter } from '../../../src/imports/verdicts/row-writer';
import { AccountTags } from '../../../src/stores/tags/account-tags';
import { TagRecord, TagSchema } from '../../../src/stores/tags/tag.schema';
import { TagsRepository } from '../../../src/stores/tags/tags.repository';
import { aClick } from '../../support/shared/click.factory';
import { QuietLogger } from '../../support/shared/quiet-logger';
import { aLinkRecord } from '../../support/shared/stored-link';
import type { DataOptions, HttpOptions, SiteOptions } from '../../../src/config/options';
import { ImportCredentials } from '../../../src/imports/store/import-credentials';
import { OutboundClient } from '../../../src/infrastructure/outbound/outbound.client';
import { SealedValues } from '../../../src/infrastructure/sealed-values/sealed-values';
import { TOTAL_ALONE } from '../../../src/stores/imported-counts/imported-counts';
import { anAccountExport } from '../../support/account-export';
import { jobsIn } from '../../support/factories/stored-job';
import { dropTestDatabase, openTestDatabase, testDatabaseUri } from '../../support/test-database';
import { withoutStoredHosts } from '../../support/shared/stored-hosts';

const alive = (): void => undefined;
const { signal } = new AbortController();

describe('the job of an import', () => {
  const folder = mkdtempSync(join(tmpdir(), 'curtail-import-job-'));
  let connection: Connection;
  let imports: ImportsRepository;
  let importRows: ImportRowsRepository;
  let job: ImportJob;
  let nodes: ImportNodes;
  let removed: RemovedLinksRepository;
  let countsRepository: ImportedCountsRepository;
  let ownerId: string;
  let mails: Mail[];
  let startedAt: Date | null;
  const files = { maxBytes: 0, maxRows: 0 };

  beforeEach(async () => {
    Object.assign(files, { maxBytes: 64 * 1024 * 1024, maxRows: 1_000_000 });
    connection = await openTestDatabase(testDatabaseUri());
    const rows = connection.model<ImportRowRecord>(ImportRowRecord.name, ImportRowSchema);
    const tags = connection.model<TagRecord>(TagRecord.name, TagSchema);
    const counts = connection.model<ImportedCountsRecord>(
      ImportedCountsRecord.name,
      ImportedCountsSchema,
    );
    const models = [connection.model(LINK_MODEL, LinkSchema), rows, tags, counts];
    await Promise.all(models.map((model) => model.createIndexes()));
    imports = new ImportsRepository(
      connection.model<ImportRecord>(ImportRecord.name, ImportSchema),
    );
    importRows = new ImportRowsRepository(rows);
    const links = new LinksRepository(connection);
    const reads = new LinkReads(connection);
    const revisions = connection.model<CountsRevisionRecord>(
      CountsRevisionRecord.name,
      CountsRevisionSchema,
    );
    countsRepository = new ImportedCountsRepository(counts, revisions);
    const imported = new ImportedLinksRepository(
      connection.model<ImportedLinkRecord>(ImportedLinkRecord.name, ImportedLinkSchema),
    );
    const accountTags = new AccountTags(new TagsRepository(tags), new LocalBus());
    const judge = new RowJudge(
      importRows,
      imported,
      reads,
      countsRepository,
      new ImportedDestinations(
        new BlockedDestinations(
          { patternsFile: null, hostsFile: null },
          withoutStoredHosts(),
          new QuietLogger(),
        ),
        { baseUrl: 'https://go.test' } as HttpOptions,
      ),
      accountTags,
    );
    const cache = new LinkCache(reads, new LocalBus(), new ClosedOwners(), new QuietLogger(), {
      memoryMb: 1,
    });
    const writer = new RowWriter(importRows, links, reads, accountTags, cache);
    const stores = new ClickStoreRepository(connection);
    nodes = new ImportNodes(importRows, imported, stores, new NodeLeaseRepository(connection));
    const database = {
      ...{ links, stores, nodes },
      keys: new VisitorKeyRepository(connection),
      home: new ClickHomeRepository(connection),
      days: new ClickDaysRepository(connection),
    };
    const recording = { dataDir: folder, geoipDb: null, visitorSecret: 'a secret of tests' };
    const recorder = new VisitRecorder({ ...recording, clickHouse: null }, database);
    const visits = new VisitImport(
      imports,
      importRows,
      imported,
      countsRepository,
      reads,
      recorder,
    );
    removed = new RemovedLinksRepository(connection);
    mails = [];
    startedAt = null;
    const accounts = new AccountsRepository(
      connection.model<AccountRecord>(AccountRecord.name, AccountSchema),
    );
    const email = `${new Types.ObjectId().toHexString()}@example.com`;
    const fields = { emailVerified: true, userName: null, passwordHash: null };
    ({ id: ownerId } = await accounts.insert({ email, ...fields }, new Date()));
    const sender = {
      send: async (_to: string, compose: () => Mail) => Promise.resolve(mails.push(compose()) > 0),
    } as unknown as MailSender;
    const importMails = new ImportMails(
      imports,
      accounts,
      sender,
      { baseUrl: 'https://go.test' } as HttpOptions,
      { name: 'Curtail' } as SiteOptions,
    );
    const sealed = new SealedValues({ secret: 'a secret of tests' });
    const readers = new ImportReaders(
      imports,
      new ImportCredentials(imports, sealed),
      new OutboundClient({ allowedNetworks: [{ address: '127.0.0.1', prefix: 32 }] }),
      { ...recording, clickHouse: null },
      files,
    );
    const linkVisits = new LinkVisitImport(imported, reads, countsRepository, recorder);
    job = new ImportJob(
      imports,
      readers,
      new RowsStage(
        imports,
        importRows,
        imported,
        countsRepository,
        reads,
        judge,
        writer,
        visits,
        files,
      ),
      new VisitsStage(imports, imported, visits, linkVisits),
      new ProofStage(
        imports,
        importRows,
        reads,
        removed,
        countsRepository,
        visits,
        linkVisits,
        nodes,
        importMails,
      ),
      importMails,
      new ImportRemains(imports, importRows, jobsIn(connection), { dir: folder } as DataOptions),
    );
  });
  afterEach(() => dropTestDatabase(connection));
  afterAll(() => rmSync(folder, { recursive: true }));

  async function anImport(
    file: string | Buffer,
    options: Partial<ImportOptions> = {},
    source: ImportSource = 'csv',
  ): Promise<string> {
    const id = new Types.ObjectId().toHexString();
    const path = join(folder, id);
    writeFileSync(path, file);
    await imports.insert({
      id,
      ownerId,
      source,
      options: { ...DEFAULT_OPTIONS, ...options },
      file: { path, name: 'file.csv', bytes: file.length, sha256: '' },
      columns: [],
      sameFileAs: null,
    });
    return id;
  }

  const running = (id: string, cursor: ImportCursor | null, checkLease = alive) =>
    ({
      ...{ id, cursor, checkLease, signal, startedAt, done: 0, input: { run: true } },
    }) as unknown as RunningJob<ImportInput, ImportCursor>;
  const step = (...of: Parameters<typeof running>) => job.step(running(...of));

  const stored = async (collection: string): Promise<unknown[]> =>
    connection.collection(collection).find().sort({ _id: 1 }).toArray();

  const lines = (count: number): string =>
    Array.from(
      { length: count },
      (_, i) => `a.${i},https://a.test/${i},"t${i % 7},all",${i % 10}\n`,
    ).join('');

  it('creates each link once, even if a step is repeated', async () => {
    const bare = ',https://a.test/bare,,\n'.repeat(3);
    await connection.collection('links').insertOne(aLinkRecord({ alias: 'a.700' }));
    const file = `alias,url,tags,clicks\n${bare}${lines(1300)}${bare}a.5,https://b.test/,,7\n`;
    const id = await anImport(file, { on_conflict: 'rename' });
    let cursor: ImportCursor | null = null;
    const counts: Record<string, number> = {};
    do {
      const first = await step(id, cursor);
      const now = async () => Promise.all(['links', 'import_rows', 'imported_counts'].map(stored));
      const after = await now();
      expect(await step(id, cursor)).toEqual(first);
      expect(await now()).toEqual(after);
      for (const [verdict, n] of Object.entries(first.counts ?? {})) {
        counts[verdict] = (counts[verdict] ?? 0) + n;
      }
      ({ cursor } = first);
    } while (cursor !== null);
    expect(counts).toEqual({ created: 1305, renamed: 1, duplicate_in_file: 1 });
    expect(await stored('links')).toHaveLength(1307);
    expect(await stored('tags')).toHaveLength(8);
    const { history, proof } = (await imports.findById(id))!;
    expect(history).toEqual({
      clicks: 0,
      counted_clicks: 5850,
      dropped_clicks: 7,
      links_with_history: 1170,
    });
    expect(await stored('imported_counts')).toHaveLength(1170);
    expect(proof).toEqual({
      rows_ok: true,
      links_ok: true,
      clicks_ok: true,
      differences: 0,
    });
  });

  it.each([
    ['that is deleted', true, undefined, 45],
    ['whose clicks are deleted', false, ['history_partial'], 41],
  ])('stores no counts of a link %s during the step', async (_, isLink, notes, sum) => {
    const id = await anImport(`alias,url,tags,clicks\n${lines(10)}`);
    const begun = await step(id, null);
    const links = connection.collection('links');
    const spy = jest.spyOn(countsRepository, 'save');
    spy.mockImplementationOnce(async (...given) => {
      const which = { alias: 'a.4' };
      if (isLink) await links.deleteOne(which);
      else await links.updateOne(which, { $set: { clicks_deleted_at: new Date() } });
      return countsRepository.save(...given);
    });
    const { cursor } = await step(id, begun.cursor);
    expect(spy).toHaveBeenCalled();
    expect(cursor?.history.counted_clicks).toBe(sum);
    const row = await connection.collection('import_rows').findOne({ alias: 'a.4' });
    expect(row?.notes).toEqual(notes);
    const clicks = await connection.collection('imported_counts').distinct('clicks');
    expect(clicks).toEqual([1, 2, 3, 5, 6, 7, 8, 9]);
  });

  it('fails above the row limit of an import, and deletes the copy', async () => {
    const id = await anImport(gzipSync(`alias,url,tags,clicks\n${lines(1200)}`));
    const { path } = (await imports.findById(id))!.file!;
    let { cursor } = await step(id, null);
    ({ cursor } = await step(id, cursor));
    expect(existsSync(`${path}.plain`)).toBe(true);
    files.maxRows = 900;
    const failing = step(id, cursor);
    await expect(failing).rejects.toThrow('An import may have at most 900 rows');
    await job.beforeFailure(running(id, cursor), { code: 'validation_error', error: 'Too long' });
    expect(existsSync(`${path}.plain`)).toBe(false);
    // These rows were already imported.
    expect(await importRows.countRows(id)).toBe(500);
  });

  it('fails for a file that unpacks to more than four times the maximum file size', async () => {
    const id = await anImport(gzipSync(`alias,url,tags,clicks\n${lines(1200)}`));
    files.maxBytes = 5000;
    const { cursor } = await step(id, null);
    await expect(step(id, cursor)).rejects.toThrow('unpacks to more than 20000 bytes');
  });

  async function runTwice(id: string): Promise<void> {
    const now = async () =>
      Promise.all(
        ['ledgers', 'click_blocks', 'imported_counts', 'import_rows', 'nodes'].map(stored),
      );
    for (let cursor: ImportCursor | null = null; ;) {
      const first = await step(id, cursor);
      const after = await now();
      expect(await step(id, cursor)).toEqual(first);
      expect(await now()).toEqual(after);
      ({ cursor } = first);
      if (cursor === null) return;
    }
  }

  /** A dump whose log precedes the links and has more than one page of visits. */
  function aDumpOfYourls(visitCount = 50_100, [first, second] = [17_000, 16_700]): string {
    const visits = Array.from({ length: visitCount }, (_, i) => {
      const time = new Date(Date.UTC(2021, 0, 1) + i * 60_000).toISOString().slice(0, 19);
      const ip = i % 5 === 0 ? '' : `203.0.113.${i % 7}`;
      return `(${i},'${time.replace('T', ' ')}','k${i % 3}','direct','curl/7.0','${ip}','FR')`;
    });
    const odd = [
      "(30000,'0000-00-00 00:00:00','k0','direct','curl/7.0','203.0.113.1','')",
      "(30001,'2021-01-01 00:00:00','gone','direct','curl/7.0','203.0.113.1','')",
    ];
    const links = [`('k0','https://a.test/0',${first})`, `('k1','https://a.test/1',${second})`];
    return [
      'INSERT INTO `yourls_log` (`click_id`,`click_time`,`shorturl`,`referrer`,`user_agent`,`ip_address`,`country_code`) VALUES ' +
        `${[...visits, ...odd].join(',')};`,
      `INSERT INTO \`yourls_url\` (\`keyword\`,\`url\`,\`clicks\`) VALUES ${links.join(',')};`,
    ].join('\n');
  }

  it('imports single clicks once, and the rest of a total', async () => {
    const id = await anImport(aDumpOfYourls(), {}, 'yourls_sql');
    await runTwice(id);
    const { history, proof } = (await imports.findById(id))!;
    expect(history).toEqual({
      ...{ clicks: 33_400, counted_clicks: 300, dropped_clicks: 16_702, links_with_history: 2 },
    });
    expect((await imports.findById(id))?.notes).toEqual({ history_partial: 1 });
    expect(await importRows.pageOfRows(id, { verdict: 'history_partial' }, 1, 10)).toMatchObject([
      { alias: 'k0', message: 'the source lists only 16700 of its 17000 clicks' },
    ]);
    expect(proof).toMatchObject({ clicks_ok: true, differences: 0 });
    const links = (await stored('links')) as { alias: string; total_clicks: number }[];
    expect(Object.fromEntries(links.map((link) => [link.alias, link.total_clicks]))).toEqual({
      k0: 16_700,
      k1: 16_700,
    });
    expect(await stored('imported_counts')).toHaveLength(1);
  });

  it('imports the only click of a dump once', async () => {
    const id = await anImport(aDumpOfYourls(1), {}, 'yourls_sql');
    await runTwice(id);
    expect((await imports.findById(id))!.history).toMatchObject({ clicks: 1 });
    expect(await importRows.pageOfRows(id, { verdict: 'history_partial' }, 1, 10)).toMatchObject([
      { alias: 'k0', message: 'the source lists only 1 of its 17000 clicks' },
      { alias: 'k1', message: 'the source lists only 0 of its 16700 clicks' },
    ]);
  });

  it('adds recent single clicks to the daily counts', async () => {
    const days = new ClickDaysRepository(connection);
    await days.begin(new Date());
    const yesterday = new Date(Date.now() - 86_400_000).toISOString().slice(0, 19);
    const dump = aDumpOfYourls(1).replace('2021-01-01 00:00:00', yesterday.replace('T', ' '));
    const id = await anImport(dump, {}, 'yourls_sql');
    let cursor: ImportCursor | null = null;
    do ({ cursor } = await step(id, cursor));
    while (cursor !== null);
    expect(await days.sumSince(new Date(Date.now() - 6 * 86_400_000))).toBe(1);
  });

  it('releases its lock name at its end, and can be found by it until then', async () => {
    const id = await anImport(aDumpOfYourls(300), {}, 'yourls_sql');
    const totals = async () => {
      const links = (await stored('links')) as { total_clicks: number }[];
      return links.map(({ total_clicks: clicks }) => clicks);
    };
    const marks = async () => {
      const stores = (await stored('ledgers')) as { marks: Record<string, number> }[];
      return stores.map((store) => store.marks);
    };
    let cursor: ImportCursor | null = null;
    // A run that was cancelled after recording starts from the beginning.
    do ({ cursor } = await step(id, cursor));
    while (cursor?.stage !== 'proof');
    const [node] = (await stored('nodes')) as { _id: string; holder: string }[];
    expect(node?.holder).toBe(`import/${id}`);
    const last = { [node?._id ?? '']: expect.any(Number) as number };
    expect(await marks()).toEqual([last, last]);
    await connection.collection('ledgers').updateMany({}, { $set: { 'marks.0badcafe': 7 } });
    cursor = null;
    do ({ cursor } = await step(id, cursor));
    while (cursor?.stage !== 'release');
    expect(await totals()).toEqual([100, 100]);
    expect(isProved((await imports.findById(id))!)).toBe(true);
    const ledger = (await stored('ledgers'))[0] as { _id: Types.ObjectId };
    const stores = new ClickStoreRepository(connection);
    await stores.forgetNode(node?._id ?? '', [ledger._id.toHexString()]);
    do ({ cursor } = await step(id, cursor));
    while (cursor !== null);
    expect(await marks()).toEqual([{ '0badcafe': 7 }, { '0badcafe': 7 }]);
    expect(await stored('nodes')).toEqual([]);
    expect(await totals()).toEqual([100, 100]);
  });

  it('can be found by another name if the first one was taken when it began', async () => {
    const id = await anImport(aDumpOfYourls(1), {}, 'yourls_sql');
    const first = createHash('sha256').update(`${id}.0`).digest('hex').slice(0, 8);
    const leases = new NodeLeaseRepository(connection);
    await leases.claim(first, 'a recorder');
    const name = await nodes.findOrClaimName(id);
    expect(name).not.toBe(first);
    await leases.removeHeldBy('a recorder');
    expect(await nodes.findOrClaimName(id)).toBe(name);
  });

  it('imports an export of Curtail once, without the clicks of skipped links', async () => {
    const item = (id: string, alias: string, more: object = {}) => ({
      ...{ id, alias, domain: null, long_url: `https://a.test/${alias}`, status: 'ACTIVE' },
      ...{ created_at: '2024-01-01T00:00:00Z', total_clicks: 3, private_stats: true, ...more },
    });
    const ids = ['1', '2', '3', '4'].map((digit) => digit.repeat(24)) as [string, ...string[]];
    const rules = [
      { key: 'r7', when: [{ field: 'os', values: ['iOS'] }], to: 'https://go.test/x' },
    ];
    const [one, two, three, four] = [
      item(ids[0], 'one', { max_clicks: 60_000, updated_at: 1_720_000_000 }),
      item(ids[1] ?? '', 'bad', { long_url: 'javascript:alert(1)' }),
      item(ids[2] ?? '', 'one', { domain: 'b.test', long_url: 'https://b.test' }),
      item(ids[3] ?? '', 'rules', { rules, pre_start_url: 'https://a.test/soon' }),
    ];
    const at = Date.UTC(2025, 0, 1);
    const many = Array.from({ length: 50_100 }, (_, i) =>
      aClick({ at: at + i * 61_037, visitor: (i % 9).toString().repeat(24), redirectMs: i % 977 }),
    );
    const clicks = new Map([
      [ids[0], many],
      [ids[1] ?? '', many.slice(0, 20)],
      [ids[2] ?? '', many.slice(0, 3)],
    ]);
    const about = { linkId: ids[0], ownerId: '', importId: '', source: 'bitly_api' };
    const counts = [{ ...TOTAL_ALONE, ...about, clicks: 5 }];
    const file = await anAccountExport([one, two, three, four], clicks, counts);
    const id = await anImport(file, {}, 'curtail');
    await runTwice(id);
    const { history, proof } = (await imports.findById(id))!;
    expect(history).toMatchObject({ clicks: 50_100, counted_clicks: 5, dropped_clicks: 23 });
    expect(proof).toMatchObject({ clicks_ok: true, differences: 0 });
    const found = (await stored('links')) as Record<string, unknown>[];
    const byAlias = Object.fromEntries(found.map((link) => [link.alias as string, link]));
    expect(await stored('imported_counts')).toMatchObject([{ source: 'bitly_api', clicks: 5 }]);
    expect(byAlias.one).toMatchObject({
      ...{ total_clicks: 50_100, open_clicks: 50_100, max_clicks: 60_000, status: 'ACTIVE' },
      updated_at: new Date(1_720_000_000_000),
    });
    // A rule leading to this service is skipped; the rest of the link is imported.
    expect(byAlias.rules).toMatchObject({ pre_start_url: 'https://a.test/soon' });
    expect(byAlias.rules?.rules).toBeUndefined();
    const rows = (await stored('import_rows')) as { message?: string; verdict: string }[];
    expect(rows.map(({ verdict }) => verdict)).toEqual([
      ...['created', 'destination_unsupported', 'duplicate_in_file', 'created'],
    ]);
    expect(rows[3]?.message).toContain('rules.0.to');

    const again = await anImport(file, {}, 'curtail');
    await runTwice(again);
    expect((await imports.findById(again))?.history).toMatchObject({
      clicks: 0,
      dropped_clicks: 23,
    });
    expect(await stored('links')).toHaveLength(2);
  });

  it('replaces counts if only they have changed, and adds no single clicks', async () => {
    const numbers = async (): Promise<number[]> =>
      ((await stored('imported_counts')) as { clicks: number }[])
        .map(({ clicks }) => clicks)
        .sort((a, b) => a - b);
    await runTwice(
      await anImport('alias,url,clicks\none,https://a.test/,12\ntwo,https://a.test/,5'),
    );
    const later = 'alias,url,clicks\none,https://a.test/,20\ntwo,https://a.test/,5';
    await runTwice(await anImport(later));
    expect(await numbers()).toEqual([5, 12]);
    const none = await anImport(later, { on_existing: 'update', history: 'none' });
    await runTwice(none);
    expect(await numbers()).toEqual([5, 12]);
    for (const verdicts of [
      ['updated', 'unchanged'],
      ['unchanged', 'unchanged'],
    ]) {
      const id = await anImport(later, { on_existing: 'update' });
      await runTwice(id);
      const rows = await importRows.pageOfRows(id, {}, 1, 10);
      expect(rows.map(({ verdict }) => verdict)).toEqual(verdicts);
      expect((await imports.findById(id))?.proof).toMatchObject({ clicks_ok: true });
      expect(await numbers()).toEqual([5, 20]);
    }

    await runTwice(await anImport(aDumpOfYourls(300, [400, 100]), {}, 'yourls_sql'));
    const links = async () => connection.collection('links').find({ total_clicks: 100 }).toArray();
    expect(await links()).toHaveLength(2);
    const more = aDumpOfYourls(300, [800, 100]);
    const id = await anImport(more, { on_existing: 'update' }, 'yourls_sql');
    await runTwice(id);
    expect((await imports.findById(id))?.history).toMatchObject({ clicks: 0, counted_clicks: 700 });
    expect(await links()).toHaveLength(2);
    expect(await numbers()).toEqual([5, 20, 700]);
  });

  it.each<[string, ImportOptions['history']]>([
    ['single clicks', 'all'],
    ['counts', 'counts'],
  ])('leaves the history of links alone whose clicks were deleted: %s', async (_, history) => {
    const csv = 'alias,url,clicks,max clicks\none,https://a.test/,12,20\ntwo,https://a.test/,5,';
    await runTwice(await anImport(csv));
    await runTwice(await anImport(aDumpOfYourls(300), { history }, 'yourls_sql'));
    const links = new LinksRepository(connection);
    const stores = connection.collection('ledgers');
    const found = (await stored('links')) as { _id: Types.ObjectId; alias: string }[];
    const ids = found
      .filter(({ alias }) => ['one', 'k0'].includes(alias))
      .map(({ _id }) => _id.toHexString());
    await links.dropClicks(ownerId, ids, new Date());
    await new DroppedClicksRepository(connection).drop(ids, new Date());
    await connection.collection('imported_counts').deleteMany({
      _id: { $in: ids.map((id) => new Types.ObjectId(id)) },
    });
    const now = async () => Promise.all([stores.find().toArray(), stored('imported_counts')]);
    const before = await now();

    const dump = aDumpOfYourls(400)
      .replace('https://a.test/0', 'https://b.test/0')
      .replace('17000', '17400')
      .replace('16700', '16900');
    const again = [
      await anImport(csv.replace(',12,', ',19,'), { on_existing: 'update' }),
      await anImport(dump, { on_existing: 'update', history }, 'yourls_sql'),
    ];
    for (const id of again) {
      await runTwice(id);
      const { notes, proof } = (await imports.findById(id))!;
      expect(proof).toMatchObject({ clicks_ok: true, differences: 0 });
      const rows = await importRows.pageOfRows(id, { verdict: 'history_partial' }, 1, 10);
      expect(notes).toEqual({ history_partial: rows.length });
      const message = 'Its clicks were deleted here: its history is not imported again';
      const row = { verdict: 'updated', message };
      expect(rows[0]).toMatchObject({ alias: id === again[0] ? 'one' : 'k0', ...row });
    }
    const counted = await now();
    const isCleared = ({ _id }: { _id?: unknown }) => ids.includes(String(_id));
    for (const [i, documents] of counted.entries()) {
      const kept = (before[i] as { _id?: unknown }[]).filter(isCleared);
      expect((documents as { _id?: unknown }[]).filter(isCleared)).toEqual(kept);
    }
    // The limit counts from zero.
    const limited = await connection.collection('links').findOne({ alias: 'one' });
    expect(limited).toMatchObject({ max_clicks: 20, status: 'ACTIVE', total_clicks: 0 });
  });

  it('adds up single clicks by day if only daily counts are requested', async () => {
    const id = await anImport(
      aDumpOfYourls(3000, [1300, 1000]),
      { history: 'counts' },
      'yourls_sql',
    );
    await runTwice(id);
    const { history, proof } = (await imports.findById(id))!;
    expect(history).toMatchObject({ clicks: 0, counted_clicks: 2300 });
    expect(proof).toMatchObject({ clicks_ok: true, differences: 0 });
    expect(await stored('ledgers')).toEqual([]);
    const counts = (await stored('imported_counts')) as {
      clicks: number;
      granularity: string;
      time: { clicks: number[] };
      by: Record<string, { values: string[] }>;
    }[];
    expect(counts.map(({ clicks }) => clicks).sort()).toEqual([1000, 1300]);
    for (const { granularity, time, by } of counts) {
      expect(granularity).toBe('day');
      expect(time.clicks.reduce((sum, clicks) => sum + clicks)).toBe(1000);
      expect(by.referrer?.values).toEqual(['Direct']);
    }
  });

  it('resolves aliases of the same import to their destinations to avoid loops', async () => {
    await connection.collection('links').insertOne(aLinkRecord({ alias: 'here' }));
    const chain = Array.from({ length: 22 }, (_, i) => `c${i},https://go.test/c${i + 1}`);
    const file = [
      'alias,url',
      'early,https://go.test/late',
      'one,https://go.test/two',
      'two,https://go.test/one',
      'self,https://go.test/self',
      'made,https://go.test/here',
      'none,https://go.test/nowhere',
      'page,https://go.test/dashboard/links',
      'sub,https://www.go.test/late',
      ',https://go.test/late',
      ...chain,
      'c22,https://a.test/chain',
      'twice,https://go.test/%F0%9F%9A%80?a=1',
      'via,https://go.test/early/',
      'bad,https://go.test/broken',
      'broken,ftp://a.test/',
      '"open,https://go.test/late',
      ...Array.from({ length: 600 }, (_, i) => `m${i},https://a.test/${i}`),
      'late,https://a.test/end',
      'late,https://a.test/other',
      '🚀,https://a.test/rocket',
    ].join('\n');
    const id = await anImport(file);
    await runTwice(id);
    const links = (await stored('links')) as { alias: string; long_url: string }[];
    const destinations = new Map(links.map((link) => [link.alias, link.long_url]));
    expect(Object.fromEntries(destinations)).toMatchObject({
      ...{ early: 'https://a.test/end', via: 'https://a.test/end', late: 'https://a.test/end' },
      ...{
        twice: 'https://a.test/rocket',
        c3: 'https://a.test/chain',
        c22: 'https://a.test/chain',
      },
    });
    const rows: ImportRow[] = [];
    for await (const some of importRows.allRows(id)) rows.push(...some);
    const loops = rows.filter(({ verdict }) => verdict === 'destination_loop');
    const left = ['one', 'two', 'self', 'made', 'none', 'page', 'sub', 'c0', 'c1', 'bad'];
    expect(loops.map(({ alias }) => alias)).toEqual(left);
    for (const alias of left) expect(destinations.has(alias)).toBe(false);
    const [early, , , , , , , , bare] = rows;
    expect([early?.longUrl, early?.message]).toEqual([
      'https://a.test/end',
      'It leads to /late of this service: the destination of that link is used',
    ]);
    expect([bare?.verdict, bare?.longUrl]).toEqual(['created', 'https://a.test/end']);
    // Importing the same file again yields the same result.
    const again = await anImport(file);
    await runTwice(again);
    expect(await stored('links')).toHaveLength(links.length);
  });

  it('detects which links have a history if the dump contains no click counts', async () => {
    const id = await anImport(aDumpOfYourls(300, [0, 0]), {}, 'yourls_sql');
    await runTwice(id);
    const { history, proof, notes } = (await imports.findById(id))!;
    expect(history).toMatchObject({ clicks: 200, counted_clicks: 0, links_with_history: 2 });
    expect([notes, proof?.differences]).toEqual([{}, 0]);
    expect(await stored('imported_counts')).toEqual([]);
  });

  it('reports in a check how a run will import the visits', async () => {
    const id = await anImport(aDumpOfYourls(300, [400, 100]), {}, 'yourls_sql');
    let cursor: ImportCursor | null = null;
    do {
      const input = { run: false };
      const one = { id, cursor, checkLease: alive, signal, done: 0, input };
      ({ cursor } = await job.step(one as unknown as RunningJob<ImportInput, ImportCursor>));
    } while (cursor !== null);
    expect((await imports.findById(id))?.history).toEqual({
      ...{ clicks: 200, counted_clicks: 300, dropped_clicks: 102, links_with_history: 2 },
    });
    expect((await imports.findById(id))?.notes).toEqual({ history_partial: 1 });
    expect([await stored('links'), await stored('imported_counts')]).toEqual([[], []]);
  });

  /** Visits precede the links, two of which share an alias on different domains. */
  function aDumpOfKutt(hours: number): string {
    const visits = Array.from({ length: hours }, (_, i) => {
      const time = new Date(Date.UTC(2015, 0, 1) + Math.floor(i / 3) * 3_600_000 + 750_000);
      const at = time.toISOString().slice(0, 19).replace('T', ' ');
      const hosts = `{"direct": 1, "t[dot]co": 1, "h${i % 9000}[dot]test": 1}`;
      return `(${(i % 3) + 1},'${at}',3,2,1,3,'{"us": 2, "unknown": 1}','${hosts}')`;
    });
    const odd = [
      "(1,'some day',5,5,0,5,'{}','{}')",
      "(4,'2015-01-01 00:00:00',4,4,0,4,'no JSON','[]')",
      "(9,'2015-01-01 00:00:00',7,7,0,7,'{}','{}')",
    ];
    const links = ["(1,'a',NULL,999999)", "(2,'b',1,0)", "(3,'a',1,9)", "(4,'c',NULL,4)"];
    const named = links.map((one, i) => one.replace(/'(\w)'/, `'$1','https://a.test/${i}'`));
    return [
      'INSERT INTO `visits` (`link_id`,`created_at`,`total`,`br_chrome`,`br_other`,`os_macos`,`countries`,`referrers`) VALUES ' +
        `${[...visits, ...odd].join(',')};`,
      `INSERT INTO \`links\` (\`id\`,\`address\`,\`target\`,\`domain_id\`,\`visit_count\`) VALUES ${named.join(',')};`,
      "INSERT INTO `domains` (`id`,`address`) VALUES (1,'go.test');",
    ].join('\n');
  }

  it('imports hours of Kutt once, each dimension separately', async () => {
    const options = { timezone: 'Asia/Kolkata', on_conflict: 'rename' } as const;
    const id = await anImport(aDumpOfKutt(36_000), options, 'kutt_sql');
    await runTwice(id);
    const { history, proof, notes } = (await imports.findById(id))!;
    expect(history).toEqual({
      ...{ clicks: 0, counted_clicks: 999_999 + 36_000 + 4, links_with_history: 3 },
      dropped_clicks: 36_000 + 5 + 7,
    });
    expect([notes, proof?.differences]).toEqual([{ history_partial: 1 }, 0]);
    expect(await importRows.pageOfRows(id, { verdict: 'history_partial' }, 1, 10)).toMatchObject([
      { alias: 'a', message: 'the source lists only 36000 of its 999999 clicks' },
    ]);
    const counts = (await stored('imported_counts')) as {
      clicks: number;
      timezone: string;
      granularity: string;
      from: Date;
      time: { starts: number[]; clicks: number[] };
      by: Record<string, { values: string[]; clicks: number[] }>;
    }[];
    const one = counts.find(({ clicks }) => clicks === 36_000);
    const first = Date.UTC(2014, 11, 31, 18, 30);
    expect(one).toMatchObject({ granularity: 'hour', timezone: 'Asia/Kolkata' });
    expect(one?.from).toEqual(new Date(first + 750_000));
    expect(one?.time.starts).toEqual(
      Array.from({ length: 12_000 }, (_, i) => first + i * 3_600_000),
    );
    expect(new Set(one?.time.clicks)).toEqual(new Set([3]));
    const { referrer, ...by } = one?.by ?? {};
    expect(by).toEqual({
      browser: { values: ['Chrome', 'Other'], clicks: [24_000, 12_000] },
      os: { values: ['Mac OS X'], clicks: [36_000] },
      country: { values: ['United States', 'Unknown'], clicks: [24_000, 12_000] },
    });
    expect(referrer?.values.slice(0, 2)).toEqual(['Direct', 't.co']);
    expect(referrer?.clicks.slice(0, 3)).toEqual([12_000, 12_000, 4]);
    expect(counts.map(({ clicks }) => clicks).sort((a, b) => a - b)).toEqual([4, 36_000, 999_999]);
  });

  it('stores hours of ten years and limits what visitors have sent', async () => {
    const hosts = (i: number): string =>
      `{${Array.from({ length: 40 }, (_, n) => `"${'x'.repeat(400)}${i}-${n}": 1`).join()}}`;
    const visits = Array.from({ length: 87_600 }, (_, i) => {
      const at = new Date(Date.UTC(2015, 0, 1) + i * 3_600_000).toISOString().slice(0, 19);
      return `(1,'${at.replace('T', ' ')}',1,'{"us": 1}','${i % 40 === 0 ? hosts(i) : '{}'}')`;
    });
    const dump = [
      "INSERT INTO links (id,address,target) VALUES (1,'a','https://a.test/');",
      `INSERT INTO visits (link_id,created_at,total,countries,referrers) VALUES ${visits.join(',')};`,
    ].join('\n');
    const id = await anImport(dump, {}, 'kutt_sql');
    let cursor: ImportCursor | null = null;
    do ({ cursor } = await step(id, cursor));
    while (cursor !== null);
    expect((await imports.findById(id))?.proof).toMatchObject({ differences: 0 });
    const [counts] = (await stored('imported_counts')) as {
      time: { starts: number[] };
      by: Record<string, { values: string[] }>;
    }[];
    expect(counts?.time.starts).toHaveLength(87_600);
    expect(counts?.by.referrer?.values.join('').length).toBeLessThan(256 * 1024);
  });

  async function before(stage: ImportCursor['stage'], id: string): Promise<ImportCursor> {
    let { cursor } = await step(id, null);
    while (cursor !== null && cursor.stage !== stage) ({ cursor } = await step(id, cursor));
    if (cursor === null) throw new Error(`There was no ${stage}`);
    return cursor;
  }

  async function toRelease(id: string, from: ImportCursor): Promise<void> {
    let cursor: ImportCursor | null = from;
    while (cursor?.stage !== 'release') ({ cursor } = await step(id, cursor));
  }

  it('fails with an explanation if a link is missing, but not if a user deleted it', async () => {
    const id = await anImport(`alias,url\n${',https://a.test/\n'.repeat(600)}`);
    const cursor = await before('proof', id);
    const [gone] = (await stored('links')) as { _id: Types.ObjectId }[];
    await connection.collection('links').deleteOne({ _id: gone?._id });
    const failed = /found 600 rows with a verdict, 599 links.*expected 600 rows, 600 links/;
    await expect(step(id, cursor)).rejects.toThrow(failed);
    expect((await imports.findById(id))?.proof).toMatchObject({
      ...{ rows_ok: true, links_ok: false, differences: 1 },
    });
    await removed.note([gone?._id.toHexString() ?? ''], ownerId);
    await toRelease(id, cursor);
    expect((await imports.findById(id))?.proof).toMatchObject({ links_ok: true, differences: 0 });
  });

  it('sends one email at the end of a long run, and none for a short one', async () => {
    const file = `url\n${'https://a.test/\n'.repeat(3)}`;
    startedAt = new Date(Date.now() - 30_000);
    await runTwice(await anImport(file));
    expect(mails).toEqual([]);
    startedAt = new Date(Date.now() - 61_000);
    const id = await anImport(file);
    await runTwice(id);
    expect(mails).toHaveLength(1);
    expect(mails[0]).toMatchObject({
      subject: 'Your import is done (go.test)',
      values: {
        lead: 'The import of “file csv” at Curtail is done.',
        advice: 'Rows read: 3, links imported: 0, links updated: 0.',
      },
      page: { path: `/dashboard/import/${id}` },
    });
    // An email reports another run, regardless of the first run's result.
    startedAt = new Date(Date.now() - 3_600_000);
    const error = { code: 'conflict', error: 'Row 3: another link has the alias <b>' };
    for (let kill = 0; kill < 3; kill++) await job.beforeFailure(running(id, null), error);
    expect(mails).toHaveLength(2);
    expect(mails[1]).toMatchObject({
      subject: 'Your import has failed (go.test)',
      values: { advice: `${error.error}. Links that were already imported are kept.` },
    });
    const check = { ...running(id, null), input: { run: false }, startedAt: new Date(0) };
    await job.beforeFailure(check, error);
    expect(mails).toHaveLength(2);
  });

  it('writes nothing after its lease is lost', async () => {
    const id = await anImport(`alias,url,tags,clicks\n${lines(3)}`);
    const { cursor } = await step(id, null);
    const lost = (): void => {
      throw new LeaseLostError();
    };
    await expect(step(id, cursor, lost)).rejects.toThrow(LeaseLostError);
    expect([await stored('links'), await stored('import_rows')]).toEqual([[], []]);
  });
});
