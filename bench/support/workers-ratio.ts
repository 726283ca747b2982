import { median } from './load';
import { drained, rounded } from './report';
import { childrenOf, commandOf, processorMs } from './pin';
import type { RunningService, Stage } from './stage';
import { redirectRound, wrkInstalled } from './wrk';

// Many, so that each worker still finds several requests a turn.
const CONNECTIONS = 128;

/** What a connection sends before it waits: so the generator takes a tenth of the cores, not a quarter. */
const AT_ONCE = 4;

export interface WorkersRatio {
  workers_ratio: number;
  one_worker_per_s: number;
  two_workers_per_s: number;
  /** Microseconds that the web processes spend on a redirect: what noise around hardly touches. */
  processor_us: { one: number; two: number };
}

export interface WorkersFigures extends WorkersRatio {
  generator: 'wrk' | 'own';
  requests_at_once: number;
  /** The same with one request a connection at a time: the generator takes more of the cores. */
  one_at_once: WorkersRatio;
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
): Promise<WorkersFigures> {
  const one = await stage.service();
  const two = await stage.service({ WEB_CONCURRENCY: '2' });
  const before = await stage.storedClicks();
  let received = 0;
  const round = async (
    { port, process }: RunningService,
    ms: number,
    atOnce: number,
  ): Promise<Figures> => {
    const web = webProcesses(process.pid ?? 0);
    const used = (): number => web.map(processorMs).reduce((sum, one) => sum + one, 0);
    const usedBefore = used();
    const at = { port, folder: stage.dir };
    const done = await redirectRound({ ...at, links, connections: CONNECTIONS, ms, atOnce });
    const us = ((used() - usedBefore) * 1000) / done.redirects;
    received += done.redirects;
    await drained(stage, before + received);
    return { perSecond: done.perSecond, us };
  };
  // Long enough that both workers have every link and their compiled code.
  for (const service of [one, two]) await round(service, 3 * ms, 1);
  const compare = async (atOnce: number): Promise<WorkersRatio> => {
    const [ones, twos]: [Figures[], Figures[]] = [[], []];
    for (let i = 0; i < rounds; i++) {
      const [a, b] = [await round(one, ms, atOnce), await round(two, ms, atOnce)];
      ones.push(a);
      twos.push(b);
      console.log(
        `round ${i + 1}, ${atOnce} at once: one ${a.perSecond.toFixed(0)}/s, two ${b.perSecond.toFixed(0)}/s, ` +
          `ratio ${(b.perSecond / a.perSecond).toFixed(2)}, ${a.us.toFixed(1)} and ${b.us.toFixed(1)} µs`,
      );
    }
    return ratioOf(ones, twos);
  };
  return {
    ...(await compare(wrkInstalled ? AT_ONCE : 1)),
    generator: wrkInstalled ? 'wrk' : 'own',
    requests_at_once: wrkInstalled ? AT_ONCE : 1,
    one_at_once: await compare(1),
    received,
    stored: (await stage.storedClicks()) - before,
  };
}

function ratioOf(ones: readonly Figures[], twos: readonly Figures[]): WorkersRatio {
  const ratios = twos.map((b, i) => b.perSecond / (ones[i]?.perSecond ?? NaN));
  return {
    workers_ratio: rounded(median(ratios), 3),
    one_worker_per_s: Math.round(median(ones.map((a) => a.perSecond))),
    two_workers_per_s: Math.round(median(twos.map((b) => b.perSecond))),
    processor_us: {
      one: rounded(median(ones.map((a) => a.us)), 1),
      two: rounded(median(twos.map((b) => b.us)), 1),
    },
  };
}
