import { jobWith } from '../../../../test/support/shared/domain-values';
import type { Job } from '../../../infrastructure/jobs/job';
import { NotCancellableError, UnknownJobError } from '../../../jobs/jobs.errors';
import { AdminJobsService } from './admin-jobs.service';

const ADMIN = { id: 'c'.repeat(24), via: 'app' } as const;

describe("An admin's actions on jobs", () => {
  let job: Job | null;
  const cancel = jest.fn<Promise<Job | null>, []>();
  const page = jest.fn(() => Promise.resolve({ jobs: [jobWith()], total: 1 }));
  const add = jest.fn();
  const jobs = new AdminJobsService(
    { findById: () => Promise.resolve(job), page } as never,
    { cancel } as never,
    {
      findByEmail: (email: string) => Promise.resolve(email.startsWith('ada') ? { id: 'o' } : null),
      findEmails: () => Promise.resolve(new Map([[jobWith().ownerId, 'ada@example.com']])),
    } as never,
    { add } as never,
  );

  beforeEach(() => jest.clearAllMocks());

  it.each<[string, Partial<Job>, Partial<Job> | null, number]>([
    ['that runs is cancelled', { state: 'running' }, { isCancelled: true }, 1],
    ['that is cancelled already stays so', { isCancelled: true }, { isCancelled: true }, 0],
    ['that ends concurrently is not recorded', { state: 'running' }, null, 0],
    ['of the service is cancelled', { kind: 'backfill', ownerId: null }, { isCancelled: true }, 1],
  ])(
    '%s the job, with an entry in the trail only for a change',
    async (_, before, after, entries) => {
      job = jobWith(before);
      cancel.mockResolvedValueOnce(after && jobWith({ ...before, ...after }));
      expect(await jobs.cancel('j', 'Spam', ADMIN)).toMatchObject({ id: job.id });
      expect(add).toHaveBeenCalledTimes(entries);
    },
  );

  it('do not change a job that has ended', async () => {
    job = jobWith({ state: 'done', kind: 'account_deletion' });
    expect(await jobs.cancel('j', null, ADMIN)).toMatchObject({ state: 'done' });
    expect(cancel).not.toHaveBeenCalled();
  });

  it.each<[string, Job | null, new () => Error]>([
    ['unknown', null, UnknownJobError],
    ['a deletion that runs', jobWith({ kind: 'account_deletion' }), NotCancellableError],
  ])('do not cancel a job that is %s', async (_, found, error) => {
    job = found;
    await expect(jobs.cancel('j', null, ADMIN)).rejects.toThrow(error);
    expect(cancel).not.toHaveBeenCalled();
  });

  it.each<[string, string, string | undefined | null]>([
    ['all accounts', '', undefined],
    ['the account with an email', 'Ada@EXAMPLE.com', 'o'],
    ['the account with an id', 'A'.repeat(24), 'a'.repeat(24)],
    ['no account', 'bob@example.com', null],
  ])('list jobs for %s', async (_, owner, ownerId) => {
    const { items, total } = await jobs.list({ owner, page: 1, pageSize: 20 });
    expect(page.mock.calls).toEqual(
      ownerId === null ? [] : [[{ state: undefined, kind: undefined, ownerId }, 1, 20]],
    );
    expect(total).toBe(items.length);
    expect(items.map((item) => item.owner?.email)).toEqual(
      ownerId === null ? [] : ['ada@example.com'],
    );
  });
});
