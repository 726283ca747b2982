import type { JobTimes } from '../../../src/infrastructure/jobs/job-run';

/** The program's times, divided by about ten. */
export const QUICK_TIMES: JobTimes = {
  leaseMs: 3000,
  renewalMs: 1000,
  lookMs: 100,
  claimMs: 200,
  stopMs: 1000,
  cancelMs: 1000,
  turnMs: { account: 1000, service: 300 },
  retry: { firstMs: 10, ceilingMs: 50, steadyMs: 0 },
};
