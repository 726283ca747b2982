import { PrimaryRateLimitStore } from '../../../src/infrastructure/rate-limit-store/primary.rate-limit-store';
import { serveParent } from '../../../src/processes/child-process/parent-channel';
import { WorkerPrimaryClient } from '../../../src/processes/rpc/primary-client';

/**
 * Test worker: sends the given number of concurrent requests to the primary and prints how many
 * were admitted.
 */
const [, , tries = '0', cost = '1', limit = '0'] = process.argv;

async function main(): Promise<void> {
  const parent = serveParent({ onStop: () => Promise.resolve() });
  const primary = new WorkerPrimaryClient();
  await primary.open();
  const store = new PrimaryRateLimitStore(primary);
  const rules = [
    { limit: 1_000_000, ms: 60_000 },
    { limit: Number(limit), ms: 3_600_000 },
  ];
  const verdicts = await Promise.all(
    Array.from({ length: Number(tries) }, () =>
      store.takeFromWindows('row|user:1', rules, Number(cost)),
    ),
  );
  const admitted = verdicts.filter(({ allowed }) => allowed);
  const [returned] = admitted;
  if (returned !== undefined) await store.giveBack('row|user:1', rules, returned);
  parent.ready({ kept: admitted.length - (returned === undefined ? 0 : 1) });
}

void main();
