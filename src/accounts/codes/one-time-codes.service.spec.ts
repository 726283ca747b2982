import type { CodeBudgetsRepository, CodesRepository } from './codes.repository';
import { OneTimeCodesService } from './one-time-codes.service';

const NOW = new Date('2026-01-02T03:04:05Z');

describe('A one-time code', () => {
  const put = jest.fn<Promise<void>, [string, string, string, Date]>(() => Promise.resolve());
  const takeTry = jest.fn<Promise<string | null>, unknown[]>();
  const budgets = { takeTry: jest.fn(), lock: jest.fn(), giveBack: jest.fn() };
  const repository = { put, takeTry, giveTryBack: jest.fn() } as unknown as CodesRepository;
  const codes = new OneTimeCodesService(repository, budgets as unknown as CodeBudgetsRepository, {
    secret: 'a secret of this test',
  });

  beforeEach(() => {
    jest.useFakeTimers({ now: NOW });
    jest.clearAllMocks();
    budgets.takeTry.mockResolvedValue('a try');
    budgets.lock.mockResolvedValue(false);
  });
  afterEach(() => jest.useRealTimers());

  it('has six digits, expires after ten minutes and is stored as a keyed hash', async () => {
    expect(await codes.issue('u', 'verification')).toMatch(/^\d{6}$/);
    const [[userId, purpose, hash, expiresAt] = []] = put.mock.calls;
    expect([userId, purpose]).toEqual(['u', 'verification']);
    expect(hash).toMatch(/^[0-9a-f]{64}$/);
    expect(expiresAt).toEqual(new Date(NOW.getTime() + 600_000));
  });

  it('is valid only for its account and purpose, and a correct code refunds the attempt', async () => {
    const code = await codes.issue('u', 'verification');
    takeTry.mockResolvedValue(put.mock.calls[0]?.[2] ?? null);
    expect((await codes.judge('u', 'verification', code, 'c')).accepted).toBe(true);
    expect(budgets.giveBack).toHaveBeenCalledTimes(1);
    expect((await codes.judge('u', 'reset', code, 'c')).accepted).toBe(false);
    expect((await codes.judge('other', 'verification', code, 'c')).accepted).toBe(false);
    expect(budgets.giveBack).toHaveBeenCalledTimes(1);
  });

  it('is not compared once no attempts remain for the code or the account', async () => {
    const code = await codes.issue('u', 'verification');
    takeTry.mockResolvedValueOnce(null);
    expect(await codes.judge('u', 'verification', code, 'c')).toEqual({
      accepted: false,
      locked: false,
    });
    expect(budgets.takeTry).not.toHaveBeenCalled();
    takeTry.mockResolvedValueOnce(put.mock.calls[0]?.[2] ?? null);
    budgets.takeTry.mockResolvedValueOnce(null);
    expect(await codes.judge('u', 'verification', code, 'c')).toEqual({
      accepted: false,
      locked: false,
    });
    expect(budgets.lock).not.toHaveBeenCalled();
  });

  it('locks the account when the last attempt fails', async () => {
    takeTry.mockResolvedValue('0'.repeat(64));
    budgets.lock.mockResolvedValue(true);
    expect(await codes.judge('u', 'verification', '000000', 'c')).toEqual({
      accepted: false,
      locked: true,
    });
  });
});
