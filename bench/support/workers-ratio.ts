import { median } from './load';
import { drained, rounded } from './report';
import { childrenOf, commandOf, processorMs } from './pin';
import type { RunningService, Stage } from './stage';
import { redirectRound, wrkInstalled } from './wrk';

// Many, so that each worker still finds several requests a turn.
const CONNECTIONS = 128;

export interface WorkersRatio {
  workers_ratio: number;
  one_worker_per_s: number;
  two_workers_per_s: number;
  /** Microseconds that the web processes spend on a redirect: what noise around hardly touches. */
  processor_us: { one: number; two: number };
  generator: 'wrk' | 'own';
  received: number;
  stored: number;
}

interface Figures {
  perSecond: number;
  us: number;
}

/** The process itself and its workers, without recorder. */
function webProcesses(primary: number): number[] {
  return [primary, ...childrenOf(primary).filter((pid) => !commandOf(pid).includes('recorder'))];
}

/**
 * Two workers beside one web process, interleaved, nothing pinned: generator, recorder and
 * database take their share of the two cores, as they would in use.
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
  const round = async ({ port, process }: RunningService, ms: number): Promise<Figures> => {
    const web = webProcesses(process.pid ?? 0);
    const used = (): number => web.map(processorMs).reduce((sum, one) => sum + one, 0);
    const usedBefore = used();
    const folder = stage.dir;
    const done = await redirectRound({ port, links, connections: CONNECTIONS, ms, folder });
    const us = ((used() - usedBefore) * 1000) / done.redirects;
    received += done.redirects;
    await drained(stage, before + received);
    return { perSecond: done.perSecond, us };
  };
  const [ones, twos]: [Figures[], Figures[]] = [[], []];
  for (let i = -1; i < rounds; i++) {
    // The first time, long enough that both workers have every link and their compiled code.
    const length = i < 0 ? 3 * ms : ms;
    const [a, b] = [await round(one, length), await round(two, length)];
    if (i < 0) continue;
    ones.push(a);
    twos.push(b);
    console.log(
      `round ${i + 1}: one ${a.perSecond.toFixed(0)}/s, two ${b.perSecond.toFixed(0)}/s, ` +
        `ratio ${(b.perSecond / a.perSecond).toFixed(2)}, ${a.us.toFixed(1)} and ${b.us.toFixed(1)} µs`,
    );
  }
  return {
    workers_ratio: rounded(
      median(twos.map((b, i) => b.perSecond / (ones[i]?.perSecond ?? NaN))),
      3,
    ),
    one_worker_per_s: Math.round(median(ones.map((a) => a.perSecond))),
    two_workers_per_s: Math.round(median(twos.map((b) => b.perSecond))),
    processor_us: {
      one: rounded(median(ones.map((a) => a.us)), 1),
      two: rounded(median(twos.map((b) => b.us)), 1),
    },
    generator: wrkInstalled ? 'wrk' : 'own',
    received,
    stored: (await stage.storedClicks()) - before,
  };
}
