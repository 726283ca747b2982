import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { size } from './support/flags';
import { median } from './support/load';
import { LoopProbe } from './support/loop-delay';
import { childrenOf, pin, processorMs } from './support/pin';
import { drained, report, rounded, runBench } from './support/report';
import { Stage } from './support/stage';
import { redirectRound, steadily, type Round } from './support/wrk';

// Cost of QR code images for concurrent redirects, alternating between redirects alone and
// 1,000 QR requests a second. `--drawn-only` measures only the drawing time. Needs wrk.
const LINKS = 1000;
const ROUNDS = size('rounds', 9, 2);
const ROUND_MS = size('ms', 4000, 1000);
const CODES_A_SECOND = 1000;
const DRAWN = size('drawn', 50, 5);
const LOADS = { saturated: 0, resting: 20 };

runBench(async () => {
  const stage = await Stage.open();
  try {
    await stage.seedLinks(LINKS);
    const limits = join(stage.dir, 'limits.json');
    writeFileSync(limits, JSON.stringify({ 'qr.image': 'off' }));
    const probe = new LoopProbe(join(stage.dir, 'loop-delay.json'));
    const service = await stage.service({ LIMITS_FILE: limits, ...probe.env });
    const pid = service.process.pid ?? 0;
    pin(process.pid, 1);
    pin(pid, 0);
    for (const child of childrenOf(pid)) pin(child, 1);
    const figures: Record<string, unknown> = {};
    let received = 0;
    for (const [load, restMs] of Object.entries(
      process.argv.includes('--drawn-only') ? {} : LOADS,
    )) {
      const round = async (first = false): Promise<Round> => {
        const found = await redirectRound({
          ...{ port: service.port, links: LINKS, connections: 64, folder: stage.dir },
          ...{ ms: ROUND_MS, inTurn: first, restMs: first ? 0 : restMs },
        });
        received += found.redirects;
        return found;
      };
      await round(true);
      const found = { alone: [] as number[], beside: [] as number[], ratios: [] as number[] };
      const codes: { perSecond: number; us: number; p99Ms: number }[] = [];
      for (let i = 0; i < ROUNDS; i++) {
        const before = processorMs(pid);
        const alone = await round();
        const between = processorMs(pid);
        const [beside, asked] = await Promise.all([
          round(),
          steadily(service.port, '/b0/qr.png', {
            ...{ perSecond: CODES_A_SECOND, ms: ROUND_MS, folder: stage.dir },
          }),
        ]);
        const after = processorMs(pid);
        await drained(stage, received);
        found.alone.push(alone.p99Ms);
        found.beside.push(beside.p99Ms);
        found.ratios.push(beside.p99Ms / alone.p99Ms);
        const usARedirect = (between - before) / alone.redirects;
        const spent = after - between - usARedirect * beside.redirects;
        codes.push({ ...asked, us: (spent * 1000) / (asked.perSecond * (ROUND_MS / 1000)) });
        console.log(
          `${load}, round ${i + 1}: p99 ${alone.p99Ms.toFixed(2)} ms at ${alone.perSecond.toFixed(0)}/s, ` +
            `with codes ${beside.p99Ms.toFixed(2)} ms at ${beside.perSecond.toFixed(0)}/s; ` +
            `${asked.perSecond.toFixed(0)} codes/s, p99 ${asked.p99Ms.toFixed(2)} ms`,
        );
      }
      figures[load] = {
        p99_ms: rounded(median(found.alone)),
        p99_ms_with_codes: rounded(median(found.beside)),
        ratio: rounded(median(found.ratios)),
        codes_a_second: Math.round(median(codes.map(({ perSecond }) => perSecond))),
        code_p99_ms: rounded(median(codes.map(({ p99Ms }) => p99Ms))),
        processor_us_a_code: rounded(median(codes.map(({ us }) => us)), 0),
      };
    }
    // Requests a plain page as a control, to measure the machine's event-loop delay.
    for (const asked of ['+', '/qr.png', '/qr.png?size=1024', '/qr.png?size=2048']) {
      const times: number[] = [];
      await probe.read(service);
      for (let i = 0; i < DRAWN; i++) {
        const begun = performance.now();
        const answer = await fetch(`http://127.0.0.1:${service.port}/b${i}${asked}`, {
          headers: { 'X-Forwarded-For': `192.0.2.${i % 250}` },
        });
        await answer.arrayBuffer();
        if (!answer.ok) throw new Error(`${asked} returned ${answer.status}`);
        times.push(performance.now() - begun);
      }
      const { p99, longest } = await probe.read(service);
      figures[`/b${asked}`] = {
        ms: rounded(median(times)),
        loop_held_p99_ms: rounded(p99, 1),
        loop_held_ms: rounded(longest, 1),
      };
    }
    report('qr', figures);
  } finally {
    await stage.close();
  }
});
