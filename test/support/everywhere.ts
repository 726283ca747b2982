import { eventually } from './shared/eventually';

type Ask = () => PromiseLike<{ status: number }>;

/** Enough concurrent connections to reach every web process, which share a port. */
const REQUESTS = 12;
const ROUNDS = 3;

/** Returns the distinct statuses of concurrent requests. */
export async function statusesOf(ask: Ask): Promise<number[]> {
  const answers = await Promise.all(Array.from({ length: REQUESTS }, ask));
  return [...new Set(answers.map(({ status }) => status))];
}

/** Waits until every web process responds with the status, because each detects changes separately. */
export async function becomesEverywhere(ask: Ask, status: number): Promise<void> {
  await eventually(`${status} from every process`, async () => {
    for (let round = 0; round < ROUNDS; round++) {
      if ((await statusesOf(ask)).join() !== String(status)) return false;
    }
    return true;
  });
}
