import type { Connection } from 'mongoose';
import { ReportRecord, ReportSchema } from '../../../src/moderation/reports/report.schema';
import type { ReportEntry } from '../../../src/moderation/reports/report';
import { DatabaseLeases } from '../../../src/infrastructure/mongo/database-leases.repository';
import { ReportsRepository } from '../../../src/moderation/reports/reports.repository';
import { dropTestDatabase, openTestDatabase, testDatabaseUri } from '../../support/test-database';

const LINK = 'a'.repeat(24);
const AT = new Date('2026-11-01T00:00:00Z');
const DAY_MS = 86_400_000;

const entry = (at = AT): ReportEntry => ({
  at,
  reason: 'spam',
  details: 'a text',
  vector: 'web',
  reporter: { accountId: 'b'.repeat(24), email: 'eve@example.com', org: 'Acme' },
});

describe('The stored reports', () => {
  let connection: Connection;
  let reports: ReportsRepository;
  beforeEach(async () => {
    connection = await openTestDatabase(testDatabaseUri());
    const model = connection.model(ReportRecord.name, ReportSchema);
    await model.createIndexes();
    reports = new ReportsRepository(model);
  });
  afterEach(() => dropTestDatabase(connection));

  const stored = () => connection.collection('reports').find().toArray();

  it('are combined per link, even for concurrent callers', async () => {
    const opened = await Promise.all(
      Array.from({ length: 30 }, () => reports.add([{ linkId: LINK, entry: entry() }])),
    );
    expect(opened.filter((one) => one)).toHaveLength(1);
    expect(await stored()).toMatchObject([{ count: 30, reasons: { spam: 30 }, untold: true }]);
  });

  it('lose the data that identifies the reporter 30 days after they are closed, and nothing else', async () => {
    await reports.add([{ linkId: LINK, entry: entry() }]);
    await reports.add([{ linkId: 'c'.repeat(24), entry: entry() }]);
    const [open] = await stored();
    const id = String(open?._id);
    expect(await reports.close(id, 'dismissed', { at: AT, by: null, reason: null })).not.toBeNull();
    expect(await reports.close(id, 'blocked', { at: AT, by: null, reason: null })).toBeNull();
    const before = await stored();
    await reports.forget(new Date(AT.getTime() + 30 * DAY_MS - 1));
    expect(await stored()).toEqual(before);
    await reports.forget(new Date(AT.getTime() + 30 * DAY_MS));
    const [closed, other] = await stored();
    expect(closed?.entries).toEqual([{ at: AT, reason: 'spam', vector: 'web' }]);
    expect(closed).toMatchObject({ state: 'dismissed', count: 1 });
    expect(closed?.forget_at).toBeUndefined();
    expect(other).toEqual(before[1]);
  });

  it('are sent once an hour by only one process', async () => {
    const leases = [1, 2, 3, 4].map(() => new DatabaseLeases(connection));
    const take = async (everyMs: number) =>
      (await Promise.all(leases.map((each) => each.acquire('report_mail', everyMs)))).filter(
        (holder) => holder !== null,
      ).length;
    expect(await take(3_600_000)).toBe(1);
    expect(await take(3_600_000)).toBe(0);
    await connection
      .collection<{ _id: string }>('settings')
      .updateOne({ _id: 'report_mail' }, { $set: { until: new Date(Date.now() - 1) } });
    expect(await take(3_600_000)).toBe(1);
  });
});
