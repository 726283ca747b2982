import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { clickHouseInstalled, TestClickHouse } from '../test/support/click-house';
import { size } from './support/flags';
import { median } from './support/load';
import { childrenOf, commandOf, processorMs, withoutProcess } from './support/pin';
import { drained, report, rounded, runBench } from './support/report';
import { Stage } from './support/stage';
import { redirectRound } from './support/wrk';

// Clicks a second that a recorder stores out of a full journal, and their processor time, with clicks in
// the database and in ClickHouse: redirects are answered while the recorder is stopped, then it is timed.
//   --links N    links that the clicks are spread over; 10,000 unless given
//   --ms N       milliseconds of redirects a round
//   --rounds N   rounds
const LINKS = size('links', 10_000, 1000);
const ROUNDS = size('rounds', 5, 1);
const ROUND_MS = size('ms', 20_000, 1000);
const POLL_MS = 50;

interface Figures {
  perSecond: number[];
  recorder: number[];
  database: number[];
  clickHouse: number[];
}

runBench(async () => {
  const server = clickHouseInstalled ? await TestClickHouse.start() : null;
  try {
    const figures: Record<string, object> = { embedded: await recorded(null) };
    if (server !== null) figures.clickhouse = await recorded(server);
    report('recording', { links: LINKS, ...figures });
  } finally {
    await server?.remove();
  }
});

async function recorded(server: TestClickHouse | null): Promise<object> {
  const stage = await Stage.open();
  try {
    await stage.seedLinks(LINKS);
    const url = server && `${server.url}/recording`;
    const service = await stage.service(url === null ? {} : { CLICKHOUSE_URL: url });
    const recorder = childrenOf(service.process.pid ?? 0).find((pid) =>
      commandOf(pid).includes('recorder'),
    );
    if (recorder === undefined) throw new Error('There is no recorder process');
    const used = () => ({
      recorder: processorMs(recorder),
      database: processorMs(stage.engine.pid ?? 0),
      clickHouse: server === null ? 0 : processorMs(server.pid),
    });
    const found: Figures = { perSecond: [], recorder: [], database: [], clickHouse: [] };
    let received = 0;
    for (let i = -1; i < ROUNDS; i += 1) {
      const { redirects } = await withoutProcess(recorder, () =>
        redirectRound({
          ...{ port: service.port, links: LINKS, connections: 64, folder: stage.dir },
          ...{ ms: i < 0 ? 4000 : ROUND_MS, inTurn: i < 0 },
        }),
      );
      received += redirects;
      const [begun, before] = [performance.now(), used()];
      while ((await stage.storedClicks()) < received) await sleep(POLL_MS);
      const seconds = (performance.now() - begun) / 1000;
      await drained(stage, received);
      if (i < 0) continue; // warming up
      const after = used();
      const us = (part: keyof typeof after) => ((after[part] - before[part]) * 1000) / redirects;
      found.perSecond.push(redirects / seconds);
      found.recorder.push(us('recorder'));
      found.database.push(us('database'));
      found.clickHouse.push(us('clickHouse'));
      console.log(
        `${server === null ? 'database' : 'ClickHouse'}, round ${i + 1}: ${redirects} clicks in ${seconds.toFixed(1)} s, ` +
          `${us('recorder').toFixed(0)} µs recorder, ${us('database').toFixed(0)} database, ${us('clickHouse').toFixed(0)} ClickHouse`,
      );
    }
    return {
      rounds: ROUNDS,
      clicks_per_s: Math.round(median(found.perSecond)),
      recorder_us: rounded(median(found.recorder), 1),
      database_us: rounded(median(found.database), 1),
      clickhouse_us: rounded(median(found.clickHouse), 1),
    };
  } finally {
    await stage.close();
  }
}
