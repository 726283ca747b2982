import { type Connection, type Model, Types } from 'mongoose';
import {
  BlockNoticeRecord,
  BlockNoticeSchema,
  BlockNoticesRepository,
} from '../../../src/stores/links/block-notices.repository';
import { dropTestDatabase, openTestDatabase, testDatabaseUri } from '../../support/test-database';

const HOUR_MS = 3_600_000;
const OWNER = new Types.ObjectId();
const LONG_AGO = new Date('2026-01-01');

describe('emails about blocked links', () => {
  let connection: Connection;
  let records: Model<BlockNoticeRecord>;
  let notices: BlockNoticesRepository;

  beforeEach(async () => {
    connection = await openTestDatabase(testDatabaseUri());
    records = connection.model(BlockNoticeRecord.name, BlockNoticeSchema);
    notices = new BlockNoticesRepository(records);
  });

  afterEach(() => dropTestDatabase(connection));

  const read = () => records.findById(OWNER).lean<BlockNoticeRecord>().orFail();
  const makeDue = (change: Partial<BlockNoticeRecord> = {}) =>
    records.updateOne({ _id: OWNER }, { $set: { due: LONG_AGO, ...change } });

  async function claimed() {
    const notice = await notices.claim();
    if (notice === null) throw new Error('No email is due');
    return notice;
  }

  it('are due half a minute after the first link, and are claimed once', async () => {
    await notices.note([OWNER.toHexString(), null]);
    expect(await notices.claim()).toBeNull();
    const { since, due } = await read();
    expect(due.getTime() - since.getTime()).toBe(30_001);
    await makeDue();
    expect((await claimed()).since).toEqual(since);
    expect(await notices.claim()).toBeNull();
  });

  it.each([true, false])('are due again in an hour (sent: %j)', async (isSent) => {
    await notices.note([OWNER.toHexString()]);
    await makeDue({ since: LONG_AGO });
    const notice = await claimed();
    await notices.finish(notice, isSent);
    const { since, due } = await read();
    expect(since).toEqual(isSent ? notice.until : LONG_AGO);
    expect(due.getTime() - notice.until.getTime()).toBeGreaterThanOrEqual(HOUR_MS);
  });

  it('are kept while links are being blocked, and deleted afterwards', async () => {
    await notices.note([OWNER.toHexString()]);
    await makeDue();
    await notices.forget(await claimed());
    await read();
    await makeDue({ noted: LONG_AGO });
    await notices.forget(await claimed());
    expect(await records.countDocuments()).toBe(0);
  });
});
