import { setTimeout as sleep } from 'node:timers/promises';
import mongoose from 'mongoose';
import { Model, type Input } from './list/model';
import { quick, size } from './support/flags';
import { median, percentile } from './support/load';
import { report, rounded, runBench } from './support/report';
import { session } from './support/session';
import { SECRET, Stage } from './support/stage';

// Lists of an account with many links over HTTP: every sort field and direction, shallow and deep
// pages, with searches that find a seventh, one and none of them; before each list some links get
// clicks. Each answer is compared with a naive sort of the same links.
const LINKS = size('links', 100_000, 2000);
const ROUNDS = size('rounds', 4, 1);
const PAGE_SIZE = 100;
const CLICKED = 50;
/** The service answers 60 lists a minute. */
const PACE_MS = quick ? 0 : 1020;

runBench(async () => {
  const stage = await Stage.open();
  try {
    const owner = new mongoose.Types.ObjectId();
    const model = new Model(LINKS, Date.now());
    await stage.seedLinks(LINKS, owner, (i) => model.record(i));
    const { port } = await stage.service();
    const token = session(owner.toHexString(), SECRET);
    const times = new Map<string, number[]>();
    let wrong = 0;
    let first = NaN;
    for (let round = 0; round < ROUNDS; round++) {
      for (const [name, input] of requests()) {
        await click(stage, model);
        const asked = performance.now();
        const answer = await list(port, token, input);
        const ms = performance.now() - asked;
        if (!isRight(answer, model.expected(input))) wrong++;
        if (Number.isNaN(first)) first = ms;
        else times.set(name, [...(times.get(name) ?? []), ms]);
        await sleep(PACE_MS);
      }
    }
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
      wrong_answers: wrong,
    });
  } finally {
    await stage.close();
  }
});

function requests(): [string, Input][] {
  const deepest = Math.ceil(LINKS / PAGE_SIZE);
  const found: [string, Input][] = [];
  for (const sortBy of ['created_at', 'last_click', 'total_clicks'] as const) {
    const of = (search: string, page: number, descending: boolean): [string, Input] => [
      `${sortBy} ${descending ? 'descending' : 'ascending'}, page ${page}, search "${search}"`,
      { sortBy, descending, search, page, pageSize: PAGE_SIZE },
    ];
    found.push(of('', 1, true), of('', Math.ceil(deepest / 2), false), of('', deepest, true));
    found.push(of('coral.example', 1, true), of('coral', Math.ceil(deepest / 8), false));
    found.push(of(`b${LINKS - 1}`, 1, true), of('no such link', 1, false));
  }
  return found;
}

/** Clicks as the recorder writes them: totals, last click and the stamp that lists follow. */
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
  const { sortBy, descending, search, page, pageSize } = input;
  const query = new URLSearchParams({
    sortBy,
    sortOrder: descending ? 'descending' : 'ascending',
    page: String(page),
    pageSize: String(pageSize),
    ...(search !== '' && { filter: JSON.stringify({ search }) }),
  });
  const answer = await fetch(`http://127.0.0.1:${port}/api/v1/urls?${query.toString()}`, {
    headers: { Authorization: `Bearer ${token}` },
  });
  if (answer.status !== 200) throw new Error(`A list was answered with ${answer.status}`);
  return (await answer.json()) as Page;
}

function isRight({ items, total }: Page, expected: { ids: string[]; total: number }): boolean {
  return total === expected.total && expected.ids.every((id, i) => items[i]?.id === id);
}
