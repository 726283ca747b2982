import { withTimeout } from './with-timeout';

describe('withTimeout', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());
  const never = new Promise<never>(() => undefined);

  it('returns results that arrive in time, and clears the timer', async () => {
    expect(await withTimeout(Promise.resolve('here'), 10, () => 'late')).toBe('here');
    await expect(
      withTimeout(Promise.reject(new Error('broken')), 10, () => 'late'),
    ).rejects.toThrow('broken');
    expect(jest.getTimerCount()).toBe(0);
  });

  it("returns the last argument's value on a timeout", async () => {
    const late = withTimeout(never, 10, () => 'late');
    const thrown = withTimeout(never, 10, () => {
      throw new Error('too late');
    });
    jest.advanceTimersByTime(10);
    expect(await late).toBe('late');
    await expect(thrown).rejects.toThrow('too late');
  });
});
