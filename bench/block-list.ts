import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { hostOfAddress, toStoredHosts } from '../src/stores/links/destination-hosts';
import { NO_DESTINATIONS } from '../src/destinations/destinations';
import { readHostsFile } from '../src/blocklists/hosts/hosts-file';
import { eventually } from '../test/support/service';
import { size } from './support/flags';
import { percentile } from './support/load';
import { childrenOf, commandOf, processorMs, residentMb } from './support/pin';
import { report, rounded, runBench } from './support/report';
import { Stage } from './support/stage';

// Cost of a large blocklist (docs/contract.md#24.6): link creation, memory, and delay until
// existing links are blocked and unblocked after a file change.
const LINKS = size('links', 1_000_000, 20_000);
const HOSTS = size('hosts', 500_000, 10_000);
const PLANTED = 200;
const JUDGED = 200_000;
const LOOK_MS = 100;
const MOST_MS = 180_000;

runBench(async () => {
  const stage = await Stage.open();
  try {
    const file = join(stage.dir, 'hosts.txt');
    const others = Array.from({ length: HOSTS - PLANTED }, (_, i) => `h${i}.listed${i % 977}.test`);
    const planted = Array.from({ length: PLANTED }, (_, i) => `planted${i}.test`);
    const without = `${others.join('\n')}\n`;
    writeFileSync(file, without);
    const creation = costOfCreation(file);
    await stage.seedLinks(LINKS, null, (i) => addressed(addressOf(i)));
    await stage.indexLinks();
    const links = stage.connection.collection('links');
    const service = await stage.service({ BLOCKED_HOSTS_FILE: file });
    const settings = stage.connection.collection<{ _id: string; version?: object }>('settings');
    const isIdle = async () => Boolean((await settings.findOne({ _id: 'block_lists' }))?.version);
    await eventually('the first walk is done', isIdle, MOST_MS);
    const memory = residentMb(service.process.pid);
    const blocked = () => links.countDocuments({ 'blocked.by': 'list' });
    const until = async (count: number): Promise<number> => {
      const begun = performance.now();
      while ((await blocked()) !== count) {
        if (performance.now() - begun > MOST_MS) throw new Error(`${count} links are not blocked`);
        await sleep(LOOK_MS);
      }
      return (performance.now() - begun) / 1000;
    };
    const web = service.process.pid ?? 0;
    const jobs = childrenOf(web).find((pid) => commandOf(pid).includes('jobs.process')) ?? 0;
    const usedBefore = [processorMs(web), processorMs(jobs)] as const;
    writeFileSync(file, `${without}${planted.join('\n')}\n`);
    const closed = await until(PLANTED);
    await eventually('the walk is done', isIdle, MOST_MS);
    const [webMs, jobsMs] = [processorMs(web) - usedBefore[0], processorMs(jobs) - usedBefore[1]];
    writeFileSync(file, without);
    const opened = await until(0);
    report('block-list', {
      ...{ links: LINKS, hosts: HOSTS, planted: PLANTED },
      creation_us: rounded(creation.us, 2),
      creation_p99_us: rounded(creation.p99, 2),
      list_bytes: creation.bytes,
      closed_after_s: rounded(closed, 1),
      opened_after_s: rounded(opened, 1),
      web_processor_ms_while_closing: webMs,
      jobs_processor_ms_while_closing: jobsMs,
      web_memory_mb: Math.round(memory),
    });
  } finally {
    await stage.close();
  }
});

function addressOf(i: number): string {
  const every = Math.floor(LINKS / PLANTED);
  if (i % every === 7 && i / every < PLANTED)
    return `https://planted${Math.floor(i / every)}.test/`;
  return `https://www.site${i % 300_000}.example/articles/${i}`;
}

function addressed(long_url: string): object {
  const link = { preStartUrl: null, expiredRedirectUrl: null, destinations: NO_DESTINATIONS };
  return { long_url, destination_hosts: toStoredHosts({ ...link, longUrl: long_url }) };
}

/** Measures the cost of creating a link, which looks up the host and its parent domains. */
function costOfCreation(file: string): { us: number; p99: number; bytes: number } {
  const { table } = readHostsFile(file);
  const times = new Float64Array(JUDGED);
  const begun = performance.now();
  for (let i = 0; i < JUDGED; i++) {
    const at = performance.now();
    table.covers(hostOfAddress(addressOf(i)));
    times[i] = (performance.now() - at) * 1000;
  }
  const us = ((performance.now() - begun) * 1000) / JUDGED;
  return { us, p99: percentile(times.sort(), 0.99), bytes: table.digests.byteLength };
}
