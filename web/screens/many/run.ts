import { api, bodyOf } from '../../api/client';
import { Failure, failureOf, refusalText } from '../../api/failure';
import { outdate } from '../../data/query';
import { Store, useStore } from '../../data/store';
import { texts } from '../../texts';
import { type Batch, type Outcome, sendBatches } from './batches';
import type { Line, Lines, Rejected } from './lines';

/** If a rate limit lasts longer, the user has to resume. */
const MAX_WAIT_MS = 120_000;

interface State {
  /** Null before sending. */
  readonly batches: readonly Batch[] | null;
  readonly failure: Failure | null;
  /** End of the rate limit that delays the next batch; null for none. */
  readonly waitsUntil: number | null;
  readonly header: Lines['header'];
  /** Lines with problems, which are not sent. */
  readonly unsent: readonly Line[];
}

const IDLE: State = { batches: null, failure: null, waitsUntil: null, header: null, unsent: [] };

/** The run continues while its dialog is closed. */
const state = new Store<State>(IDLE);
let isRunning = false;

export function useRun() {
  const now = useStore(state);
  return {
    ...now,
    start: (
      batches: readonly Batch[],
      { header, lines }: Pick<Lines, 'header' | 'lines'>,
    ): void => {
      const unsent = lines.filter(({ problems }) => problems.length > 0);
      state.set({ ...IDLE, batches, header, unsent });
      void run();
    },
    resume: (): void => void run(),
    reset: (): void => {
      if (!isRunning) state.set(IDLE);
    },
  };
}

/** Returns outcomes in line order, up to the current batch. */
export function outcomesOf(batches: readonly Batch[]): readonly Outcome[] {
  return batches.flatMap(({ outcomes }) => outcomes ?? []);
}

/** Returns unsent and refused lines, in their order. */
export function findRejected({ batches, unsent }: Pick<State, 'batches' | 'unsent'>): Rejected[] {
  const outcomes = outcomesOf(batches ?? []);
  const sent = (batches ?? []).flatMap(({ lines }) => lines);
  const refused = sent.flatMap((line, i) => {
    const outcome = outcomes[i];
    return outcome !== undefined && 'refusal' in outcome
      ? [{ line, problems: [outcome.refusal] }]
      : [];
  });
  return [...unsent.map((line) => ({ line, problems: line.problems })), ...refused].sort(
    (a, b) => a.line.number - b.line.number,
  );
}

async function run(): Promise<void> {
  if (isRunning) return;
  isRunning = true;
  try {
    for (;;) {
      state.set({ ...state.get(), failure: null, waitsUntil: null });
      const waitsUntil = await sendRest();
      if (waitsUntil === null) break;
      state.set({ ...state.get(), waitsUntil });
      await new Promise((resolve) => setTimeout(resolve, waitsUntil - Date.now()));
    }
  } finally {
    isRunning = false;
    outdate('links', 'overview', 'tags');
  }
}

/** Sends pending batches. Returns when to resume after a rate limit. */
async function sendRest(): Promise<number | null> {
  try {
    await sendBatches(state.get().batches ?? [], sendBatch, (batches) =>
      state.set({ ...state.get(), batches }),
    );
  } catch (thrown) {
    const failure = failureOf(thrown);
    const { status, retryAt } = failure;
    const isLimit = status === 429 && retryAt !== null && retryAt - Date.now() < MAX_WAIT_MS;
    if (isLimit) return retryAt;
    state.set({ ...state.get(), failure });
  }
  return null;
}

async function sendBatch({ key, lines }: Batch): Promise<readonly Outcome[]> {
  const { results } = await bodyOf(
    api.POST('/api/v1/urls/bulk/create', {
      body: { links: lines.map(({ input }) => input) },
      headers: { 'Idempotency-Key': key },
    }),
  );
  // A line with a server error may succeed later. Sending the batch again keeps completed lines.
  const isUnfinished = results.some(({ error_code: code }) =>
    ['internal', 'not_attempted'].includes(code ?? ''),
  );
  if (isUnfinished) throw new Failure(texts.problems.unknown, 500, 'internal');
  return results.map(({ url, field, error_code: code, error }) =>
    url === null
      ? { refusal: refusalText(code ?? 'unknown', field, error) }
      : { shortUrl: url.short_url },
  );
}
