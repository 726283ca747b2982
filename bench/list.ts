import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import mongoose from 'mongoose';
import { listingBytes } from './list/listing-bytes';
import { type Filter, Model, type Input, tagName, TAGS } from './list/model';
import { size } from './support/flags';
import { median, percentile } from './support/load';
import { LoopProbe } from './support/loop-delay';
import { residentMb } from './support/pin';
import { report, rounded, runBench } from './support/report';
import { session } from './support/session';
import { end, type RunningService, SECRET, Stage } from './support/stage';

// A large account's link lists over HTTP: all sort fields and directions, shallow and deep pages,
// searches, filters, tags. Links get clicks before each list; every response is compared with a
// naive sort.
const LINKS = size('links', 100_000, 2000);
const ROUNDS = size('rounds', 4, 1);
const PAGE_SIZE = 100;
const WHOLE = { filter: {}, pageSize: PAGE_SIZE };
const CLICKED = 50;
const PAUSE_MS = size('pause', 100, 0);
/** A link of another account, which is visited during the first list. */
const VISITED = 'visited';
const VISITS_MS = 500;
/** Length of the filtered time range: a twelfth of the year in which links were created. */
const MONTH_MS = 30 * 86_400_000;

runBench(async () => {
  const stage = await Stage.open();
  try {
    const owner = new mongoose.Types.ObjectId();
    const now = Date.now();
    const model = new Model(LINKS, now);
    await stage.seedLinks(LINKS, owner, (i) => model.record(i));
    await stage.seedLinks(1, null, () => ({ alias: VISITED }));
    await storeTags(stage, owner, model);
    await stage.indexLinks();
    const probe = new LoopProbe(join(stage.dir, 'loop-delay.json'));
    const limits = join(stage.dir, 'limits.json');
    writeFileSync(limits, '{"links.list":"off"}');
    const service = await stage.service({ ...probe.env, LIMITS_FILE: limits });
    const token = session(owner.toHexString(), SECRET);
    const times = new Map<string, number[]>();
    let wrong = 0;
    const before = residentMb(service.process.pid);
    const measured = async (input: Input, port = service.port): Promise<number> => {
      const expected = model.expected(input);
      const asked = performance.now();
      const answer = await list(port, token, input);
      const ms = performance.now() - asked;
      if (!isRight(answer, expected)) wrong++;
      return ms;
    };
    await probe.read(service);
    const byCreation = named(requests(now), 'created_at descending, page 1, {}');
    const first = await measured(byCreation);
    const firstOfOthers = await measured({ ...byCreation, sortBy: 'last_click' });
    const loading = await probe.read(service);
    const afterStart = async (input: Input): Promise<FirstList> => {
      const delays = new LoopProbe(join(stage.dir, 'first-loop-delay.json'));
      const fresh = await stage.service({ ...delays.env, LIMITS_FILE: limits });
      const warm = await visits(fresh, sleep(VISITS_MS));
      await delays.read(fresh);
      const request = measured(input, fresh.port);
      const during = await visits(fresh, request);
      const { longest } = await delays.read(fresh);
      await end(fresh.process);
      return { ms: await request, longest, warm, during };
    };
    const search = await afterStart({ ...byCreation, filter: { search: 'coral' } });
    const byTitle = await afterStart({ ...byCreation, sortBy: 'title' });
    for (let round = 0; round < ROUNDS; round++) {
      for (const [name, input] of requests(now)) {
        await sleep(PAUSE_MS);
        await click(stage, model);
        times.set(name, [...(times.get(name) ?? []), await measured(input)]);
      }
    }
    const listing = await probe.read(service);
    for (const [name, found] of times) {
      console.log(
        `${name}: median ${median(found).toFixed(0)} ms, worst ${Math.max(...found).toFixed(0)} ms`,
      );
    }
    const all = [...times.values()].flat().sort((a, b) => a - b);
    report('list', {
      links: LINKS,
      lists: all.length,
      median_ms: rounded(median(all), 1),
      p95_ms: rounded(percentile(all, 0.95), 1),
      worst_median_ms: rounded(Math.max(...[...times.values()].map(median)), 1),
      first_ms: Math.round(first),
      first_by_another_order_ms: Math.round(firstOfOthers),
      first_search_ms: Math.round(search.ms),
      first_by_title_ms: Math.round(byTitle.ms),
      first_loop_held_ms: rounded(Math.max(search.longest, byTitle.longest), 1),
      redirect_p50_ms: rounded(median(search.warm), 1),
      redirect_p50_during_first_ms: rounded(median(search.during), 1),
      redirect_worst_ms: rounded(Math.max(...search.warm), 1),
      redirect_worst_during_first_ms: rounded(Math.max(...search.during), 1),
      loop_held_ms_while_reading: rounded(loading.longest, 1),
      loop_held_ms: rounded(listing.longest, 1),
      loop_held_p99_ms: rounded(listing.p99, 1),
      memory_mb: Math.round(residentMb(service.process.pid)),
      memory_mb_before: Math.round(before),
      wrong_answers: wrong,
      listing_bytes_a_link: rounded(await listingBytes(model), 1),
    });
  } finally {
    await stage.close();
  }
});

interface FirstList {
  ms: number;
  /** The longest time for which the event loop was blocked. */
  longest: number;
  /** Response times of redirects before and during the request. */
  warm: number[];
  during: number[];
}

/** Visits a link until the task ends. */
async function visits({ port }: RunningService, task: Promise<unknown>): Promise<number[]> {
  const times: number[] = [];
  const state = { isRunning: true };
  const stop = (): void => void (state.isRunning = false);
  task.then(stop, stop);
  while (state.isRunning) {
    const asked = performance.now();
    const answer = await fetch(`http://127.0.0.1:${port}/${VISITED}`, { redirect: 'manual' });
    if (answer.status !== 302) throw new Error(`A visit returned ${answer.status}`);
    await answer.arrayBuffer();
    times.push(performance.now() - asked);
    await sleep(2);
  }
  return times;
}

function named(all: readonly [string, Input][], name: string): Input {
  const input = all.find(([known]) => known === name)?.[1];
  if (input === undefined) throw new Error(`There is no request called ${name}`);
  return input;
}

function requests(now: number): [string, Input][] {
  const everyOther = Array.from({ length: 20 }, (_, i) => (i * 2) % TAGS);
  const deepest = Math.ceil(LINKS / PAGE_SIZE);
  const found: [string, Input][] = [];
  for (const sortBy of ['title', 'alias', 'expire_after'] as const) {
    for (const [page, descending] of [
      [1, true],
      [Math.ceil(deepest / 2), false],
    ] as const) {
      found.push([`${sortBy}, page ${page}`, { ...{ sortBy, descending, page }, ...WHOLE }]);
    }
  }
  for (const sortBy of ['created_at', 'last_click', 'total_clicks'] as const) {
    const of = (filter: Filter, page: number, descending: boolean): [string, Input] => [
      `${sortBy} ${descending ? 'descending' : 'ascending'}, page ${page}, ${JSON.stringify(filter)}`,
      { sortBy, descending, filter, page, pageSize: PAGE_SIZE },
    ];
    found.push(of({}, 1, true), of({}, Math.ceil(deepest / 2), false), of({}, deepest, true));
    found.push(of({ search: 'coral.example' }, 1, true));
    found.push(of({ search: 'coral' }, Math.ceil(deepest / 8), false));
    found.push(of({ search: `b${LINKS - 1}` }, 1, true), of({ search: 'no such link' }, 1, false));
    found.push(of({ search: 'e' }, Math.ceil(deepest / 2), true));
    found.push(of({ status: 'ACTIVE' }, Math.ceil(deepest / 4), true));
    found.push(of({ status: 'EXPIRED', passwordSet: false }, 1, false));
    const createdAfter = Math.floor((now - MONTH_MS) / 1000) * 1000;
    found.push(of({ createdAfter, search: 'read' }, 2, true));
    found.push(of({ tags: [1, 2, 3] }, 1, true), of({ tags: everyOther }, 3, false));
    found.push(of({ tags: [4], excludeTags: [5, 6] }, 1, true));
    found.push(of({ excludeTags: everyOther }, Math.ceil(deepest / 4), true));
    found.push(of({ tags: [7, 8], tagsMode: 'all' }, 1, false), of({ untagged: true }, 2, true));
    found.push(of({ search: 'badoki' }, 1, true), of({ search: 'tag-49 coral' }, 1, false));
  }
  return found;
}

async function storeTags(
  stage: Stage,
  owner: mongoose.Types.ObjectId,
  { tagIds }: Model,
): Promise<void> {
  const tags = tagIds.map((_id, i) => ({
    ...{ _id, owner, name: tagName(i), key: tagName(i), color: 'red', created_at: new Date() },
  }));
  await stage.connection.collection('tags').insertMany(tags);
}

/** Writes clicks as the recorder does: totals, last click and `touched_at`. */
async function click(stage: Stage, model: Model): Promise<void> {
  const now = Date.now();
  const clicked = model.click(CLICKED, now).map(({ _id }) => _id);
  await stage.connection.collection('links').updateMany(
    { _id: { $in: clicked } },
    {
      $inc: { total_clicks: 1 },
      $set: { last_click: new Date(now) },
      $currentDate: { touched_at: true },
    },
  );
}

interface Page {
  items: { id: string }[];
  total: number;
}

async function list(port: number, token: string, input: Input): Promise<Page> {
  const { sortBy, descending, filter, page, pageSize } = input;
  const { createdAfter } = filter;
  const asked = {
    ...filter,
    ...(filter.tags !== undefined && { tags: filter.tags.map(tagName) }),
    ...(filter.excludeTags !== undefined && { excludeTags: filter.excludeTags.map(tagName) }),
    ...(createdAfter !== undefined && { createdAfter: createdAfter / 1000 }),
  };
  const query = new URLSearchParams({
    sortBy,
    sortOrder: descending ? 'descending' : 'ascending',
    page: String(page),
    pageSize: String(pageSize),
    ...(Object.keys(asked).length > 0 && { filter: JSON.stringify(asked) }),
  });
  const answer = await fetch(`http://127.0.0.1:${port}/api/v1/urls?${query.toString()}`, {
    headers: { Authorization: `Bearer ${token}` },
  });
  if (answer.status !== 200) throw new Error(`A list returned ${answer.status}`);
  return (await answer.json()) as Page;
}

function isRight({ items, total }: Page, expected: { ids: string[]; total: number }): boolean {
  return total === expected.total && expected.ids.every((id, i) => items[i]?.id === id);
}
