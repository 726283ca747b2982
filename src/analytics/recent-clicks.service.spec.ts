import { RecentClicksService } from './recent-clicks.service';

const NOON = Date.UTC(2030, 2, 10, 12);

describe('Recent clicks', () => {
  const count = jest.fn<Promise<object>, [{ query: { start: number } }, number]>();
  const service = new RecentClicksService({ count } as never);
  const find = (days: Record<string, number>, timezone?: string, now = NOON, end = now) => {
    const time = { labels: Object.keys(days), clicks: Object.values(days) };
    const breakdowns = { time, short_code: { labels: ['one', 'two'], clicks: [9, 4] } };
    count.mockResolvedValueOnce({ breakdowns, range: { end } });
    const query = { ownerId: 'o', timezone, audience: undefined, links: 5, client: {}, now };
    return service.findRecentClicks(query as never);
  };

  it('are counted by day, and the last of the seven days is the current one', async () => {
    const found = await find({
      ...{ '2030-02-25': 1000, '2030-03-03': 100, '2030-03-04': 10 },
      ...{ '2030-03-09': 3, '2030-03-10': 2 },
    });
    expect(found).toEqual({
      ...{ today: 2, yesterday: 3, last7Days: 15, previous7Days: 1100 },
      mostClicked: new Map([
        ['one', 9],
        ['two', 4],
      ]),
    });
  });

  it('are zero if the account has no clicks', async () => {
    expect(await find({})).toMatchObject({ today: 0, yesterday: 0, last7Days: 0 });
  });

  it.each([
    ['UTC', undefined, NOON, Date.UTC(2030, 1, 25)],
    ['a zone ahead', 'Asia/Tokyo', Date.UTC(2030, 2, 9, 15), Date.UTC(2030, 1, 24, 15)],
    ['a zone behind', 'America/New_York', Date.UTC(2030, 2, 10, 3), Date.UTC(2030, 1, 24, 5)],
    [
      'a zone whose clocks change',
      'Europe/Berlin',
      Date.UTC(2030, 3, 2, 12),
      Date.UTC(2030, 2, 19, 23),
    ],
  ])('include thirteen days before the current one in %s', async (_, zone, now, start) => {
    await find({}, zone, now);
    expect(count.mock.lastCall?.[0].query.start).toBe(start);
  });

  it('in a shared result belong to the day on which the result was counted', async () => {
    const midnight = Date.UTC(2030, 2, 11);
    const found = await find({ '2030-03-10': 2 }, undefined, midnight, midnight - 1);
    expect([found.today, found.yesterday]).toEqual([2, 0]);
  });

  it('cannot be requested for an unknown time zone', async () => {
    await expect(find({}, 'Mars/X')).rejects.toThrow(expect.objectContaining({ status: 400 }));
  });
});
