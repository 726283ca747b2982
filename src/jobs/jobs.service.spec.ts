import { jobWith, principalWith } from '../../test/support/shared/domain-values';
import { KeyRefusedError, ScopeMissingError } from '../auth/access.errors';
import type { Principal } from '../auth/access';
import type { Job } from '../infrastructure/jobs/job';
import { NotCancellableError, UnknownJobError } from './jobs.errors';
import { JobsService } from './jobs.service';

const OWNER = principalWith();
const keyWith = (...scopes: Principal['scopes']) => principalWith({ kind: 'key', scopes });

describe('A job', () => {
  let job: Job | null;
  const cancel = jest.fn(() => Promise.resolve(job && { ...job, state: 'cancelled' as const }));
  const jobs = new JobsService(
    { findById: () => Promise.resolve(job) } as never,
    { cancel } as never,
  );

  beforeEach(() => cancel.mockClear());

  it.each<[string, Partial<Job>, Principal]>([
    ['its session', {}, OWNER],
    ['a key with the scope that started it', {}, keyWith('urls:manage')],
    ['a key with every scope', {}, keyWith('admin:all')],
    ['a session, for a job of sessions', { kind: 'account_export' }, OWNER],
  ])('is visible to %s', async (_, traits, caller) => {
    job = jobWith(traits);
    expect(await jobs.find(job.id, caller)).toMatchObject({ id: job.id });
  });

  it.each<[string, Partial<Job> | null, Principal, new (...args: never[]) => Error]>([
    ['is unknown to an account without it', null, OWNER, UnknownJobError],
    ['is unknown to other accounts', { ownerId: 'other' }, OWNER, UnknownJobError],
    ['of the service is unknown to all accounts', { kind: 'backfill' }, OWNER, UnknownJobError],
    ['is hidden from a key without its scope', {}, keyWith('urls:read'), ScopeMissingError],
    [
      'of sessions is hidden from every key',
      { kind: 'account_export' },
      keyWith('admin:all'),
      KeyRefusedError,
    ],
    [
      'of another account is unknown rather than forbidden to a key',
      { ownerId: 'other', kind: 'account_export' },
      keyWith('admin:all'),
      UnknownJobError,
    ],
  ])('%s', async (_, traits, caller, error) => {
    job = traits && jobWith(traits);
    await expect(jobs.find('x', caller)).rejects.toThrow(error);
    await expect(jobs.cancel('x', caller)).rejects.toThrow(error);
    expect(cancel).not.toHaveBeenCalled();
  });

  it.each<[string, Partial<Job>, boolean]>([
    ['an unfinished import', { state: 'waiting' }, true],
    ['a finished import', { state: 'done' }, true],
    ['a deletion that runs', { kind: 'account_deletion' }, false],
    ['a deletion that is done', { kind: 'account_deletion', state: 'done' }, true],
  ])('can be cancelled unless it must run to its end: %s', async (_, traits, isAccepted) => {
    job = jobWith(traits);
    const outcome = jobs.cancel(job.id, OWNER);
    if (isAccepted) expect(await outcome).toMatchObject({ state: 'cancelled' });
    else await expect(outcome).rejects.toThrow(NotCancellableError);
    expect(cancel).toHaveBeenCalledTimes(Number(isAccepted));
  });
});
