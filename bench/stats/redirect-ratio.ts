import { load, median, percentile } from '../support/load';
import type { Stage } from '../support/stage';
import type { BenchLink } from './recording';
import { statsLoad } from './stats-load';

const REDIRECT_MS = 4000;

/** p99 of redirects while statistics are asked for without pause, to p99 without. */
export async function redirectRatio(stage: Stage, hot: BenchLink): Promise<number> {
  const { port } = await stage.service();
  const redirects = async (): Promise<number> => {
    const { latencies } = await load({
      host: '127.0.0.1',
      port,
      connections: 8,
      ms: REDIRECT_MS,
      target: () => '/b5',
    });
    return percentile(latencies, 0.99);
  };
  await redirects();
  const ratios: number[] = [];
  for (let i = 0; i < 3; i += 1) {
    const quiet = await redirects();
    const asking = statsLoad(port, hot.alias);
    const busy = await redirects();
    const answered = await asking.stop();
    ratios.push(busy / quiet);
    console.log(
      `redirects: p99 ${quiet.toFixed(2)} ms, with statistics ${busy.toFixed(2)} ms (${answered} answers)`,
    );
  }
  return median(ratios);
}
