import type { LinkTotalReads, LinkSums } from '../stores/links/link-total-reads.repository';
import { MetricService } from './metric.controller';
import { abbreviateCount } from './metric.response';

/** A repository whose count takes `takes` ms on a simulated clock. */
class CountingRepository {
  counts = 0;
  takes = 0;
  now = 1000;

  sums(): Promise<LinkSums> {
    this.counts++;
    this.now += this.takes;
    return Promise.resolve({ links: this.counts, clicks: 1500 });
  }
}

describe('MetricService', () => {
  let repository: CountingRepository;
  let service: MetricService;

  beforeEach(() => {
    repository = new CountingRepository();
    service = new MetricService(repository as unknown as LinkTotalReads);
    jest.spyOn(performance, 'now').mockImplementation(() => repository.now);
  });

  afterEach(() => jest.restoreAllMocks());

  it('returns the stored counts while they are recent', async () => {
    repository.takes = 100;
    await service.read();
    repository.now += 4800;
    expect(await service.read()).toEqual({
      'total-shortlinks-raw': 1,
      'total-clicks-raw': 1500,
      'total-shortlinks': '1+',
      'total-clicks': '1K+',
    });
    repository.now += 200;
    expect((await service.read())['total-shortlinks-raw']).toBe(2);
  });

  it('counts again after a minute, even if a count takes long', async () => {
    repository.takes = 5000;
    await service.read();
    repository.now += 54_999;
    expect((await service.read())['total-shortlinks-raw']).toBe(1);
    repository.now += 1;
    expect((await service.read())['total-shortlinks-raw']).toBe(2);
  });

  it('counts once for concurrent callers', async () => {
    await Promise.all([service.read(), service.read(), service.read()]);
    expect(repository.counts).toBe(1);
  });

  it('counts again after a failed count', async () => {
    jest.spyOn(repository, 'sums').mockRejectedValueOnce(new Error('away'));
    await expect(service.read()).rejects.toThrow('away');
    expect((await service.read())['total-shortlinks-raw']).toBe(1);
  });
});

describe('An abbreviated count', () => {
  it.each([
    [0, '0+'],
    [999, '999+'],
    [1000, '1K+'],
    [1999, '1K+'],
    [999_999, '999K+'],
    [1_000_000, '1M+'],
    [2_500_000_000, '2B+'],
    [7_000_000_000_000, '7T+'],
    [Number.MAX_SAFE_INTEGER, '9P+'],
    [5_000_000_000_000_000_000, '5000P+'],
  ])('%d is %s', (count, text) => {
    expect(abbreviateCount(count)).toBe(text);
  });
});
