import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import mongoose from 'mongoose';
import { size } from './support/flags';
import { median } from './support/load';
import { report, rounded, runBench } from './support/report';
import { session, storeSession } from './support/session';
import { SECRET, Stage } from './support/stage';

// Compares one bulk request for 100 links with 100 single requests, and deletes a tag used by every
// link in an account.
const ROUNDS = size('rounds', 20, 2);
const ITEMS = 100;
const TAGGED = size('links', 100_000, 2000);
const LIMITS = ['links.create', 'links.bulk-create', 'links.create-items'];

runBench(async () => {
  const stage = await Stage.open();
  try {
    const limits = join(stage.dir, 'limits.json');
    writeFileSync(limits, JSON.stringify(Object.fromEntries(LIMITS.map((row) => [row, 'off']))));
    const { port } = await stage.service({ LIMITS_FILE: limits });
    const owner = new mongoose.Types.ObjectId();
    const token = session(owner.toHexString(), SECRET);
    await storeSession(stage.connection, owner);
    const call = async (method: string, path: string, body?: object): Promise<unknown> => {
      const answer = await fetch(`http://127.0.0.1:${port}/api/v1/${path}`, {
        method,
        headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
        body: JSON.stringify(body),
      });
      if (!answer.ok) throw new Error(`${path} returned ${answer.status}`);
      return answer.json();
    };
    const timed = async (work: () => Promise<unknown>): Promise<number> => {
      const began = performance.now();
      await work();
      return performance.now() - began;
    };
    const anItem = (): object => ({ long_url: `https://example.com/${Math.random()}` });
    const some = (): object[] => Array.from({ length: ITEMS }, anItem);
    const batch = (): Promise<unknown> => call('POST', 'urls/bulk/create', { links: some() });
    const single = async (): Promise<void> => {
      for (const item of some()) await call('POST', 'shorten', item);
    };
    await batch();
    await single();
    const [batches, singles]: [number[], number[]] = [[], []];
    for (let round = 0; round < ROUNDS; round++) {
      batches.push(await timed(batch));
      singles.push(await timed(single));
    }
    const tag = new mongoose.Types.ObjectId();
    const common = { name: 'spring', key: 'spring', color: 'red', created_at: new Date() };
    await stage.connection.collection('tags').insertOne({ _id: tag, owner, ...common });
    await stage.seedLinks(TAGGED, owner, () => ({ tags: [tag] }));
    const deletion = await timed(() => call('DELETE', `tags/${tag.toHexString()}`));
    const left = await stage.connection.collection('links').countDocuments({ tags: tag });
    report('bulk', {
      items: ITEMS,
      rounds: ROUNDS,
      batch_median_ms: rounded(median(batches), 1),
      batch_worst_ms: rounded(Math.max(...batches), 1),
      single_calls_median_ms: rounded(median(singles), 1),
      ratio: rounded(median(singles) / median(batches), 1),
      tagged_links: TAGGED,
      tag_deletion_s: rounded(deletion / 1000, 1),
      links_with_the_tag_left: left,
    });
  } finally {
    await stage.close();
  }
});
