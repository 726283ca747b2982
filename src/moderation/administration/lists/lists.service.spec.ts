import { ListsService } from './lists.service';

describe('The state of the blocklists', () => {
  const countClosedWith = jest.fn<Promise<number>, []>();
  const stored = { entries: 2, version: 'v1', covers: () => true };
  let byHosts = 3;
  const list = { file: null, entries: 0, unreadable: { total: 0, lines: [] }, error: null };
  const lists = { ...list, loadedAt: null };
  const service = new ListsService(
    { lists: () => ({ hosts: lists, urls: lists }) } as never,
    stored as never,
    { countClosedWith, countClosedByList: () => Promise.resolve(byHosts) } as never,
    { findOnly: () => Promise.resolve(null) } as never,
  );
  const read = async () => (await service.read()).stored.links_blocked;

  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  it('counts the links of stored hosts again only after a change, a failure or a minute', async () => {
    countClosedWith.mockRejectedValueOnce(new Error('slow')).mockResolvedValue(2);
    await expect(read()).rejects.toThrow('slow');
    expect(await Promise.all([read(), read()])).toEqual([2, 2]);
    expect(countClosedWith).toHaveBeenCalledTimes(2);
    stored.version = 'v2';
    await read();
    byHosts = 4;
    await read();
    jest.advanceTimersByTime(60_000);
    await read();
    expect(countClosedWith).toHaveBeenCalledTimes(5);
    byHosts = 0;
    expect(await read()).toBe(0);
  });
});
