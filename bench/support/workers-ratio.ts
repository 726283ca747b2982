import { median } from './load';
import { drained, rounded } from './report';
import type { Stage } from './stage';
import { redirectRound, wrkInstalled } from './wrk';

const CONNECTIONS = 64;

export interface WorkersRatio {
  workers_ratio: number;
  one_worker_per_s: number;
  two_workers_per_s: number;
  generator: 'wrk' | 'own';
  received: number;
  stored: number;
}

/**
 * Two workers beside one web process, interleaved, nothing pinned: generator, recorder and
 * database take their share of the two cores, as they would in use. Clicks that are stored beyond
 * the answers received are those whose answers a round's end has cut off.
 */
export async function workersRatio(
  stage: Stage,
  links: number,
  rounds: number,
  ms: number,
): Promise<WorkersRatio> {
  const one = await stage.service();
  const two = await stage.service({ WEB_CONCURRENCY: '2' });
  const before = await stage.storedClicks();
  let received = 0;
  const round = async (port: number): Promise<number> => {
    const folder = stage.dir;
    const done = await redirectRound({ port, links, connections: CONNECTIONS, ms, folder });
    received += done.redirects;
    await drained(stage, before + received);
    return done.perSecond;
  };
  const [ones, twos]: [number[], number[]] = [[], []];
  for (let i = -1; i < rounds; i++) {
    const [a, b] = [await round(one.port), await round(two.port)];
    if (i < 0) continue; // warming up
    ones.push(a);
    twos.push(b);
    console.log(
      `round ${i + 1}: one ${a.toFixed(0)}/s, two ${b.toFixed(0)}/s, ratio ${(b / a).toFixed(2)}`,
    );
  }
  return {
    workers_ratio: rounded(median(twos.map((b, i) => b / (ones[i] ?? NaN))), 3),
    one_worker_per_s: Math.round(median(ones)),
    two_workers_per_s: Math.round(median(twos)),
    generator: wrkInstalled ? 'wrk' : 'own',
    received,
    stored: (await stage.storedClicks()) - before,
  };
}
