import { shortened } from './metric.service';

describe('shortened counts', () => {
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
    expect(shortened(count)).toBe(text);
  });
});
