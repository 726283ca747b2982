import { useEffect, useState } from 'preact/hooks';
import { api, bodyOf, type Schemas } from '../../api/client';
import { outdate, useQuery } from '../../data/query';
import { say, sayFailure } from '../../data/toasts';
import { count, dateTime } from '../../format';
import { Loading } from '../../parts/skeleton';
import { texts } from '../../texts';

type Export = Schemas['AccountExportResponse'];

const POLL_MS = 2000;
const UNFINISHED: readonly string[] = ['queued', 'running', 'waiting'] satisfies Export['state'][];

const t = {
  title: 'Your data',
  hint: 'A zip file with your links, their clicks and your settings. Curtail can import it.',
  request: 'Request a copy',
  requested: 'Your copy is being prepared. You can leave this page.',
  progress: 'Copy of your data',
  preparing: 'Preparing your copy …',
  linksOf: (done: string, total: string) => `${done} of ${total} links`,
  failed: 'The copy failed.',
  cancelled: 'The copy was cancelled.',
  download: 'Download',
  until: (time: string) => `available until ${time}`,
  remove: 'Remove',
  removed: 'Copy removed',
};

export function YourData() {
  const [isPreparing, setPreparing] = useState(false);
  const found = useQuery('exports', () => bodyOf(api.GET('/api/v1/account/exports')), {
    ...(isPreparing && { everyMs: POLL_MS }),
  });
  const exports = found.value?.exports;
  const hasUnfinished = exports?.some(isUnfinished) ?? false;
  useEffect(() => setPreparing(hasUnfinished), [hasUnfinished]);
  const request = (): void => {
    bodyOf(api.POST('/api/v1/account/exports'))
      .then(() => say(t.requested))
      .catch(sayFailure)
      .finally(() => outdate('exports'));
  };
  return (
    <section class="card" aria-labelledby="your-data">
      <h2 id="your-data">{t.title}</h2>
      <p class="hint">{t.hint}</p>
      <Loading found={found} rows={1} />
      {exports !== undefined && exports.length > 0 && (
        <ul class="rows">
          {exports.map((each) => (
            <li key={each.id}>
              <div>{isUnfinished(each) ? <Progress of={each} /> : <Outcome of={each} />}</div>
              <button type="button" class="quiet bad small" onClick={() => remove(each)}>
                {t.remove}
              </button>
            </li>
          ))}
        </ul>
      )}
      <button type="button" class="quiet" disabled={isPreparing} onClick={request}>
        {t.request}
      </button>
    </section>
  );
}

function Progress({ of: { progress } }: { of: Export }) {
  const { done, total } = progress;
  return (
    <>
      <progress
        aria-label={t.progress}
        max={total ?? undefined}
        value={total === null ? undefined : Math.min(done, total)}
      />
      <p class="hint">{total === null ? t.preparing : t.linksOf(count(done), count(total))}</p>
    </>
  );
}

function Outcome({ of: { id, state, error, file, expires_at: expiry } }: { of: Export }) {
  if (file === null) {
    const words = state === 'cancelled' ? t.cancelled : t.failed;
    return <p role="status">{error === null ? words : `${words} ${error.error}`}</p>;
  }
  const path = `/api/v1/account/exports/${id}/file`;
  const download = (event: Event): void => {
    event.preventDefault();
    // Renews the session, because the browser downloads the file without the app.
    bodyOf(api.GET('/api/v1/account/exports/{id}', { params: { path: { id } } }))
      .then(() => location.assign(path))
      .catch(sayFailure);
  };
  return (
    <>
      <a href={path} onClick={download}>
        {t.download}
      </a>
      <span class="hint">
        {` ${size(file.bytes)}`}
        {expiry !== null && `, ${t.until(dateTime(new Date(expiry * 1000)))}`}
      </span>
    </>
  );
}

function remove({ id }: Export): void {
  bodyOf(api.DELETE('/api/v1/account/exports/{id}', { params: { path: { id } } }))
    .then(() => say(t.removed))
    .catch(sayFailure)
    .finally(() => outdate('exports'));
}

function isUnfinished({ state }: Export): boolean {
  return UNFINISHED.includes(state);
}

function size(bytes: number): string {
  const [unit, value] =
    bytes < 1e6 ? (['kilobyte', bytes / 1e3] as const) : (['megabyte', bytes / 1e6] as const);
  const style = { style: 'unit', unit, maximumSignificantDigits: 3 } as const;
  return new Intl.NumberFormat(texts.locale, style).format(value);
}
