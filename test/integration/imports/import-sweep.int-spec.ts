import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Connection, Types } from 'mongoose';
import { NodeLeaseRepository } from '../../../src/clicks/recorder/node-lease.repository';
import { ClickStoreRepository } from '../../../src/clicks/store/click-store.repository';
import { DAY_MS, HOUR_MS } from '../../../src/common/time';
import { DEFAULT_OPTIONS } from '../../../src/imports/store/import';
import type { DataOptions } from '../../../src/config/options';
import { ImportNodes } from '../../../src/imports/history/visit-recorder';
import { ImportRemains } from '../../../src/imports/running/import-remains';
import { ImportSweep } from '../../../src/imports/import-sweep';
import {
  ImportRecord,
  ImportRowRecord,
  ImportRowSchema,
  ImportSchema,
} from '../../../src/imports/store/import.schema';
import {
  ImportedLinkRecord,
  ImportedLinkSchema,
  ImportedLinksRepository,
} from '../../../src/imports/store/imported-links.repository';
import { ImportRowsRepository } from '../../../src/imports/store/import-rows.repository';
import { ImportsRepository } from '../../../src/imports/store/imports.repository';
import type { JobsRepository } from '../../../src/infrastructure/jobs/jobs.repository';
import { BackgroundTasks } from '../../../src/common/background-tasks';
import { QuietLogger } from '../../support/shared/quiet-logger';
import { jobsIn } from '../../support/factories/stored-job';
import { dropTestDatabase, openTestDatabase, testDatabaseUri } from '../../support/test-database';

const OWNER = new Types.ObjectId().toHexString();

describe('the cleanup of imports', () => {
  const dir = mkdtempSync(join(tmpdir(), 'curtail-import-sweep-'));
  const folder = join(dir, 'imports');
  let connection: Connection;
  let imports: ImportsRepository;
  let importRows: ImportRowsRepository;
  let imported: ImportedLinksRepository;
  let jobs: JobsRepository;
  let leases: NodeLeaseRepository;
  let nodes: ImportNodes;
  let sweep: ImportSweep;

  beforeEach(async () => {
    mkdirSync(folder, { recursive: true });
    connection = await openTestDatabase(testDatabaseUri());
    imports = new ImportsRepository(
      connection.model<ImportRecord>(ImportRecord.name, ImportSchema),
    );
    importRows = new ImportRowsRepository(
      connection.model<ImportRowRecord>(ImportRowRecord.name, ImportRowSchema),
    );
    jobs = jobsIn(connection);
    imported = new ImportedLinksRepository(
      connection.model<ImportedLinkRecord>(ImportedLinkRecord.name, ImportedLinkSchema),
    );
    leases = new NodeLeaseRepository(connection);
    nodes = new ImportNodes(importRows, imported, new ClickStoreRepository(connection), leases);
    const data = { dir } as DataOptions;
    const remains = new ImportRemains(imports, importRows, jobs, data);
    const background = new BackgroundTasks(new QuietLogger());
    sweep = new ImportSweep(imports, nodes, remains, jobs, data, background);
  });
  afterEach(async () => {
    rmSync(folder, { recursive: true, force: true });
    await dropTestDatabase(connection);
  });
  afterAll(() => rmSync(dir, { recursive: true }));

  function aFile(name: string, ageMs = 2 * HOUR_MS): string {
    const path = join(folder, name);
    writeFileSync(path, 'url\n');
    const at = new Date(Date.now() - ageMs);
    utimesSync(path, at, at);
    return path;
  }

  async function anImport(digit: string): Promise<string> {
    const id = new Types.ObjectId().toHexString();
    const path = aFile(digit.repeat(32));
    aFile(`${digit.repeat(32)}.plain`);
    const file = { path, name: 'links.csv', bytes: 4, sha256: '' };
    const made = { id, ownerId: OWNER, source: 'csv', options: DEFAULT_OPTIONS } as const;
    await imports.insert({ ...made, file, columns: [], sameFileAs: null });
    const row = { row: 2, part: 0, alias: 'abc', longUrl: null, message: null, linkId: null };
    const verdict = { ...row, verdict: 'created', notes: [] } as const;
    await importRows.saveRows(id, [{ row: verdict, claim: null, clicks: 0 }]);
    const link = new Types.ObjectId().toHexString();
    await imported.note(id, [{ id: link, sourceId: 'abc', visits: 1, isMade: true }]);
    aFile(`${id}.answers`);
    return id;
  }

  it('deletes an import with its rows and its file after its job is deleted', async () => {
    const [gone, alive] = [await anImport('a'), await anImport('b')];
    await jobs.insert({ id: alive, kind: 'import', ownerId: OWNER, input: null });
    await sweep.sweep();
    expect(await imports.findById(gone)).not.toBeNull();
    await sweep.sweep(Date.now() + 31 * DAY_MS);
    expect(await imports.findById(gone)).toBeNull();
    expect(await importRows.countRows(gone)).toBe(0);
    expect(await imported.after(gone, null, 1)).toEqual([]);
    expect(await imports.findById(alive)).not.toBeNull();
    expect(await importRows.countRows(alive)).toBe(1);
    expect(await imported.after(alive, null, 1)).toHaveLength(1);
    const kept = ['b'.repeat(32), `${'b'.repeat(32)}.plain`, `${alive}.answers`];
    expect(readdirSync(folder).sort()).toEqual(kept.sort());
  });

  it('deletes copies of finished imports, and rows of interrupted checks', async () => {
    const [cancelled, done, alive] = [
      await anImport('a'),
      await anImport('b'),
      await anImport('c'),
    ];
    for (const id of [cancelled, done, alive]) {
      await jobs.insert({ id, kind: 'import', ownerId: OWNER, input: null });
    }
    await jobs.cancel(cancelled);
    const ended = { state: 'done', finished_at: new Date() };
    await connection
      .collection('jobs')
      .updateOne({ _id: new Types.ObjectId(done) }, { $set: ended });
    await sweep.sweep();
    const kept = ['a', 'b', 'c'].map((digit) => digit.repeat(32));
    const answers = [cancelled, done, alive].map((id) => `${id}.answers`);
    const names = [...kept, `${'c'.repeat(32)}.plain`, ...answers];
    expect(readdirSync(folder).sort()).toEqual(names.sort());
    const rows = await Promise.all([cancelled, done, alive].map((id) => importRows.countRows(id)));
    expect(rows).toEqual([0, 1, 1]);
  });

  it('assigns a free number to each import of an account', async () => {
    await connection.model(ImportRecord.name).createIndexes();
    const ids = await Promise.all(['a', 'b'].map((digit) => anImport(digit)));
    const [first = '', second = ''] = ids;
    expect(await imports.takePlace(first, 0)).toBe(true);
    expect(await imports.takePlace(second, 0)).toBe(false);
    expect(await imports.takePlace(second, 1)).toBe(true);
    const before = new Date(Date.now() - HOUR_MS);
    expect(await imports.placed(OWNER, before)).toEqual([]);
    await imports.confirmPlace(first);
    expect(await imports.placed(OWNER, before)).toEqual([first]);
    await imports.leavePlaces(ids, before);
    expect(await imports.takePlace(second, 0)).toBe(true);
  });

  it('completes the deletion of an import that was interrupted', async () => {
    const [gone, alive] = [await anImport('a'), await anImport('b')];
    await imports.remove(gone);
    await sweep.sweep();
    expect(await importRows.findImportIds()).toEqual([alive]);
    expect(await imported.after(gone, null, 1)).toEqual([]);
    expect(await imported.after(alive, null, 1)).toHaveLength(1);
  });

  it('releases names of deleted imports, and removes them from click stores', async () => {
    const [gone, alive] = [await anImport('a'), await anImport('b')];
    const link = new Types.ObjectId();
    const names = await Promise.all([gone, alive].map((id) => nodes.findOrClaimName(id)));
    await leases.claim('0badcafe', 'a recorder');
    const marks = Object.fromEntries([...names, '0badcafe'].map((name) => [name, 5]));
    await connection.collection('ledgers').insertOne({ _id: link, total: 9, marks });
    const row = { row: 3, part: 0, alias: 'one', longUrl: null, message: null, notes: [] } as const;
    const made = { ...row, verdict: 'created', linkId: link.toHexString() } as const;
    await importRows.saveRows(gone, [{ row: made, claim: null, clicks: 9 }]);
    await importRows.addVisits(gone, 1, new Map([[made, 9]]));
    await imports.remove(gone);
    await sweep.sweep();
    const [, other = ''] = names;
    expect(await connection.collection('ledgers').findOne({ _id: link })).toEqual({
      ...{ _id: link, total: 9, marks: { [other]: 5, '0badcafe': 5 } },
    });
    expect(await nodes.holders()).toEqual([alive]);
    expect(await importRows.countRows(gone)).toBe(0);
    expect(await importRows.countRows(alive)).toBe(1);
    expect((await leases.find('0badcafe'))?.holder).toBe('a recorder');
    expect(await nodes.findOrClaimName(alive)).toBe(other);
  });

  it('deletes files without an import, except for those that may still be uploaded', async () => {
    await anImport('a');
    const names = ['c'.repeat(32), `${'c'.repeat(32)}.plain.part`, `${'c'.repeat(24)}.answers`];
    const orphans = names.map((name) => aFile(name));
    const kept = [aFile('d'.repeat(32), 0), aFile('notes.txt')];
    await sweep.sweep();
    expect(orphans.filter(existsSync)).toEqual([]);
    expect(kept.filter(existsSync)).toEqual(kept);
    expect(readdirSync(folder)).toHaveLength(5);
  });

  it('does nothing if there has been no import yet', async () => {
    rmSync(folder, { recursive: true });
    await sweep.sweep();
    expect(existsSync(folder)).toBe(false);
  });
});
