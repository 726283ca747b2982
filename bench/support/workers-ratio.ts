import { median } from './load';
import { drained, rounded } from './report';
import { childrenOf, commandOf, processorMs } from './pin';
import type { RunningService, Stage } from './stage';
import { redirectRound, type Round, wrkInstalled } from './wrk';

// Enough connections to give each worker several requests per event-loop turn.
const CONNECTIONS = 128;

/** Popular links, whose clicks are cheap to record, because the bench compares web workers. */
const POPULAR = 100;
/** Pipelined requests per connection, which save the generator CPU time. */
const AT_ONCE = 4;

interface WorkersCase {
  links: number;
  requests_at_once: number;
}

export interface WorkersRatio extends WorkersCase {
  workers_ratio: number;
  one_worker_per_s: number;
  two_workers_per_s: number;
  /** The web processes' CPU microseconds per redirect, which other load hardly affects. */
  processor_us: { one: number; two: number };
}

export interface WorkersFigures extends WorkersRatio {
  /** Ratio of two bare node:http workers to one, which is the machine's upper bound. */
  bare_workers_ratio: number;
  generator: 'wrk' | 'own';
  /**
   * Variants in which the generator (no pipelining) or the recorder (all links) uses more CPU
   * time.
   */
  others: WorkersRatio[];
  received: number;
  stored: number;
}

interface Figures {
  perSecond: number;
  us: number;
}

function webProcesses(primary: number): number[] {
  return [primary, ...childrenOf(primary).filter((pid) => !commandOf(pid).includes('recorder'))];
}

/**
 * Compares two workers with one, interleaved and unpinned: generator, recorder and database
 * share the two cores as in production.
 */
export async function workersRatio(
  stage: Stage,
  links: number,
  rounds: number,
  ms: number,
): Promise<WorkersFigures> {
  const one = await stage.service();
  const two = await stage.service({ WEB_CONCURRENCY: '2' });
  const bare = [await stage.bareServer(links), await stage.bareServer(links, 2)] as const;
  const before = await stage.storedClicks();
  let received = 0;
  const answered = (port: number, of: WorkersCase, ms: number): Promise<Round> =>
    redirectRound({
      ...{ port, folder: stage.dir, connections: CONNECTIONS, ms },
      ...{ links: of.links, atOnce: of.requests_at_once },
    });
  const round = async (
    { port, process }: RunningService,
    of: WorkersCase,
    ms: number,
  ): Promise<Figures> => {
    const web = webProcesses(process.pid ?? 0);
    const used = (): number => web.map(processorMs).reduce((sum, one) => sum + one, 0);
    const usedBefore = used();
    const done = await answered(port, of, ms);
    const us = ((used() - usedBefore) * 1000) / done.redirects;
    received += done.redirects;
    await drained(stage, before + received);
    return { perSecond: done.perSecond, us };
  };
  const atOnce = wrkInstalled ? AT_ONCE : 1;
  const bares: number[] = [];
  const compare = async (of: WorkersCase, besideBare = false): Promise<WorkersRatio> => {
    const [ones, twos]: [Figures[], Figures[]] = [[], []];
    for (let i = 0; i < rounds; i++) {
      const [a, b] = [await round(one, of, ms), await round(two, of, ms)];
      ones.push(a);
      twos.push(b);
      if (besideBare) bares.push(await bareRatio(of));
      console.log(
        `${of.links} links, ${of.requests_at_once} at once, round ${i + 1}: ` +
          `one ${a.perSecond.toFixed(0)}/s, two ${b.perSecond.toFixed(0)}/s, ` +
          `ratio ${(b.perSecond / a.perSecond).toFixed(2)}, ${a.us.toFixed(1)} and ${b.us.toFixed(1)} µs`,
      );
    }
    return { ...of, ...ratioOf(ones, twos) };
  };
  const bareRatio = async (of: WorkersCase): Promise<number> => {
    const [a, b] = [await answered(bare[0].port, of, ms), await answered(bare[1].port, of, ms)];
    console.log(`bare: one ${a.perSecond.toFixed(0)}/s, two ${b.perSecond.toFixed(0)}/s`);
    return b.perSecond / a.perSecond;
  };
  // Long enough to cache every link in both workers and to warm up the JIT.
  const all = { links, requests_at_once: 1 };
  for (const service of [one, two]) await round(service, all, 3 * ms);
  return {
    ...(await compare({ links: POPULAR, requests_at_once: atOnce }, true)),
    bare_workers_ratio: rounded(median(bares), 3),
    generator: wrkInstalled ? 'wrk' : 'own',
    others: [
      await compare({ links: POPULAR, requests_at_once: 1 }),
      await compare({ links, requests_at_once: atOnce }),
    ],
    received,
    stored: (await stage.storedClicks()) - before,
  };
}

type Ratio = Omit<WorkersRatio, keyof WorkersCase>;

function ratioOf(ones: readonly Figures[], twos: readonly Figures[]): Ratio {
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
