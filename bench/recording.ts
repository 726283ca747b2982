import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { clickHouseInstalled, TestClickHouse } from '../test/support/click-house';
import { quick, size } from './support/flags';
import { median } from './support/load';
import { childrenOf, commandOf, processorMs } from './support/pin';
import { drained, report, rounded, runBench } from './support/report';
import { Stage } from './support/stage';
import { redirectRound } from './support/wrk';

// Processor time per recorded click and process, over 1, 10,000 and 100,000 links; for 10,000
// also with ClickHouse.
// --links N (only this number), --ms N (redirects per round), --rounds N, --database (no
// ClickHouse)
const LINKS = process.argv.includes('--links')
  ? [size('links', 0, 0)]
  : quick
    ? [1, 1000]
    : [1, 10_000, 100_000];
const CLICK_HOUSE_LINKS = LINKS.find((links) => links > 1 && links <= 10_000);
const ROUNDS = size('rounds', 3, 1);
const ROUND_MS = size('ms', 20_000, 1000);
const POLL_MS = 50;

interface Round {
  answeredPerSecond: number;
  recordedPerSecond: number;
  us: Record<string, number>;
}

runBench(async () => {
  const figures: Record<string, object> = {};
  for (const links of LINKS) figures[`links_${links}`] = await recorded(links, null);
  const withClickHouse = clickHouseInstalled && !process.argv.includes('--database');
  if (withClickHouse && CLICK_HOUSE_LINKS !== undefined) {
    const server = await TestClickHouse.start();
    try {
      figures[`clickhouse_links_${CLICK_HOUSE_LINKS}`] = await recorded(CLICK_HOUSE_LINKS, server);
    } finally {
      await server.remove();
    }
  }
  report('recording', { rounds: ROUNDS, ...figures });
});

async function recorded(links: number, server: TestClickHouse | null): Promise<object> {
  const stage = await Stage.open();
  try {
    await stage.seedLinks(links);
    const service = await stage.service(
      server === null ? {} : { CLICKHOUSE_URL: `${server.url}/recording` },
    );
    const primary = service.process.pid ?? 0;
    const recorder = childrenOf(primary).find((pid) => commandOf(pid).includes('recorder'));
    if (recorder === undefined) throw new Error('There is no recorder process');
    const used = () => ({
      web: processorMs(primary),
      recorder: processorMs(recorder),
      database: processorMs(stage.engine.pid ?? 0),
      ...(server !== null && { click_house: processorMs(server.pid) }),
    });
    const rounds: Round[] = [];
    let received = 0;
    for (let i = -1; i < ROUNDS; i += 1) {
      const [begun, before] = [performance.now(), used()];
      const { redirects, perSecond } = await redirectRound({
        ...{ port: service.port, links, connections: 64, folder: stage.dir },
        ...{ ms: i < 0 ? Math.max(4000, links / 5) : ROUND_MS, inTurn: i < 0 },
      });
      received += redirects;
      while ((await stage.countedClicks()) < received) await sleep(POLL_MS);
      const [ended, after] = [performance.now(), used()];
      await drained(stage, received);
      if (i < 0) continue; // warm-up: every link is cached and has a click store
      const round = {
        answeredPerSecond: perSecond,
        recordedPerSecond: redirects / ((ended - begun) / 1000),
        us: microseconds(before, after, redirects),
      };
      rounds.push(round);
      console.log(`${links} links, round ${i + 1}: ${redirects} clicks, ${JSON.stringify(round)}`);
    }
    return figuresOf(rounds);
  } finally {
    await stage.close();
  }
}

function microseconds(
  before: Record<string, number>,
  after: Record<string, number>,
  clicks: number,
): Round['us'] {
  const each = Object.entries(after).map(([name, ms]): [string, number] => [
    name,
    rounded(((ms - (before[name] ?? 0)) * 1000) / clicks, 1),
  ]);
  const sum = each.reduce((total, [, us]) => total + us, 0);
  return { ...Object.fromEntries(each), all: rounded(sum, 1) };
}

function figuresOf(rounds: readonly Round[]): object {
  const names = Object.keys(rounds[0]?.us ?? {});
  const middle = (value: (round: Round) => number) => median(rounds.map(value));
  return {
    answered_per_s: Math.round(middle((round) => round.answeredPerSecond)),
    recorded_per_s: Math.round(middle((round) => round.recordedPerSecond)),
    ...Object.fromEntries(
      names.map((name) => [
        `${name}_us`,
        rounded(
          middle(({ us }) => us[name] ?? NaN),
          1,
        ),
      ]),
    ),
  };
}
