import type { Connection } from 'mongoose';
import { ClickDaysRepository, recentDays } from '../../../src/clicks/store/click-days.repository';
import { aStoredLink } from '../../support/shared/stored-link';
import { dropTestDatabase, openTestDatabase, testDatabaseUri } from '../../support/test-database';

const [MONDAY, TUESDAY] = [Date.UTC(2026, 10, 23), Date.UTC(2026, 10, 24)];

describe('Clicks by day', () => {
  let connection: Connection;
  let days: ClickDaysRepository;
  beforeEach(async () => {
    connection = await openTestDatabase(testDatabaseUri());
    days = new ClickDaysRepository(connection);
  });
  afterEach(() => dropTestDatabase(connection));

  const sumSince = (day: number) => days.sumSince(new Date(day));

  it('are added up over batches, nodes and days', async () => {
    await days.begin(new Date());
    expect(await sumSince(MONDAY)).toBe(0);
    const monday = new Map([[MONDAY, 3]]);
    const both = new Map([
      [MONDAY, 10],
      [TUESDAY, 20],
    ]);
    await Promise.all([
      days.add({ node: '0000000a', number: 1, days: monday }),
      days.add({ node: '0000000b', number: 1, days: both }),
    ]);
    await days.add({ node: '0000000a', number: 2, days: both });
    await days.add({ node: '0000000a', number: 3, days: new Map() });
    expect(await sumSince(TUESDAY)).toBe(40);
    expect(await sumSince(MONDAY)).toBe(63);
  });

  it('include each batch once, even if an attempt failed in the middle', async () => {
    await days.begin(new Date());
    const batch = { node: '0000000a', number: 7 };
    await days.add({ ...batch, days: new Map([[MONDAY, 5]]) });
    const whole = new Map([
      [MONDAY, 5],
      [TUESDAY, 6],
    ]);
    await Promise.all([1, 2, 3].map(() => days.add({ ...batch, days: whole })));
    await days.add({ ...batch, number: 6, days: whole });
    expect(await sumSince(MONDAY)).toBe(11);
  });

  it('include imported clicks of the last seven days', () => {
    const now = TUESDAY + 3_600_000;
    const day = 86_400_000;
    const times = [MONDAY, TUESDAY, now, TUESDAY - 6 * day, TUESDAY - 6 * day - 1, TUESDAY + day];
    expect([...recentDays(times, now)]).toEqual([
      [MONDAY, 1],
      [TUESDAY, 2],
      [TUESDAY - 6 * day, 1],
    ]);
  });

  it('are unknown for days before counting began, unless there were no earlier clicks', async () => {
    expect(await sumSince(MONDAY)).toBeNull();
    await connection.collection('ledgers').insertOne({ total: 1 });
    await days.begin(new Date(MONDAY + 1));
    await days.begin(new Date(0));
    expect(await sumSince(MONDAY)).toBeNull();
    expect(await sumSince(TUESDAY)).toBe(0);
  });

  it('are known from the beginning if there were only links without clicks', async () => {
    await aStoredLink(connection);
    await Promise.all([1, 2].map(() => days.begin(new Date(TUESDAY))));
    expect(await sumSince(MONDAY)).toBe(0);
  });
});
