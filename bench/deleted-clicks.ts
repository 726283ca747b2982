import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import mongoose from 'mongoose';
import { size } from './support/flags';
import { percentile } from './support/load';
import { report, rounded, runBench } from './support/report';
import { session, storeSession } from './support/session';
import { type RunningService, SECRET, Stage } from './support/stage';
import { visitWhile } from './support/visits';
import { ClickSource, DAY_MS } from './stats/clicks';
import { Recording } from './stats/recording';

// Deletes a link's clicks (docs/contract.md#37) while other links are visited.
const CLICKS = size('clicks', 10_000_000, 20_000);
const LINKS = 1000;
const QUIET_MS = 20_000;
const VERIFY = join(__dirname, '..', '..', 'program', 'cli', 'verify.js');

runBench(async () => {
  const stage = await Stage.open();
  try {
    const owner = new mongoose.Types.ObjectId();
    await storeSession(stage.connection, owner);
    await stage.seedLinks(LINKS + 1, owner);
    await stage.indexLinks();
    const links = stage.connection.collection('links');
    const link = await links.findOne({ alias: `b${LINKS}` });
    if (link === null) throw new Error('No links were stored');
    const id = link._id.toHexString();
    const start = Math.floor(Date.now() / DAY_MS) * DAY_MS - 31 * DAY_MS;
    const recording = new Recording(stage.connection);
    const alias = `b${LINKS}`;
    await recording.record(new ClickSource(start, CLICKS, 1), [{ id, alias, tags: [] }]);
    const store = await stage.connection.collection('ledgers').findOne({ _id: link._id });
    const totals = { total_clicks: CLICKS, open_clicks: CLICKS, last_click: store?.last as Date };
    await links.updateOne({ _id: link._id }, { $set: totals });

    const service = await stage.service();
    const { port } = service;
    const quiet = () => visitWhile(port, aPath, clock(QUIET_MS));
    await quiet();
    const before = await quiet();
    let isDone = false;
    const during = visitWhile(port, aPath, () => !isDone);
    const begun = performance.now();
    const answer = await fetch(`http://127.0.0.1:${port}/api/v1/urls/${id}/clicks`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${session(owner.toHexString(), SECRET)}` },
    });
    const responseMs = performance.now() - begun;
    if (answer.status !== 200) throw new Error(await answer.text());
    const blocks = stage.connection.collection('click_blocks');
    while ((await blocks.countDocuments({ link: link._id })) > 0) await sleep(100);
    const removedMs = performance.now() - begun;
    isDone = true;
    const deleting = await during;
    const after = await quiet();
    report('deleted-clicks', {
      clicks: CLICKS,
      response_ms: rounded(responseMs),
      removed_s: rounded(removedMs / 1000, 1),
      visits_before: before.length,
      p99_ms_before: rounded(percentile(before, 0.99)),
      visits_during: deleting.length,
      p99_ms_during: rounded(percentile(deleting, 0.99)),
      p99_ms_after: rounded(percentile(after, 0.99)),
      verified: verified(stage, service),
    });
  } finally {
    await stage.close();
  }
});

function aPath(): string {
  return `/b${Math.floor(Math.random() * LINKS)}`;
}

function clock(ms: number): () => boolean {
  const until = performance.now() + ms;
  return () => performance.now() < until;
}

function verified(stage: Stage, { port }: RunningService): string {
  const env = {
    ...process.env,
    ...{ DATA_DIR: join(stage.dir, `service-${port}`), MONGODB_URI: stage.mongoUri },
  };
  const { stdout, stderr } = spawnSync(process.execPath, [VERIFY], { env, encoding: 'utf8' });
  return `${stdout}${stderr}`.trim().split('\n').at(-1) ?? '';
}
