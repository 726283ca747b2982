import { useEffect, useState } from 'preact/hooks';
import { api, bodyOf, fileOf } from '../../api/client';
import { failureOf } from '../../api/failure';
import { save } from '../../data/files';
import { know, outdate, useQuery } from '../../data/query';
import { say, sayFailure } from '../../data/toasts';
import { count } from '../../format';
import { Field, useSubmission } from '../../parts/form';
import { FormDialog } from '../../parts/form-dialog';
import { Icon } from '../../parts/icons';
import { Problem } from '../../parts/problem';
import { Loading } from '../../parts/skeleton';
import { Ago } from '../../parts/time';
import { go, Link } from '../../router';
import { texts } from '../../texts';
import { Options } from './options';
import { Proof } from './proof';
import { nameInSentence } from './sources';
import {
  clockTime,
  isUndoing,
  isUndone,
  isUnfinished,
  leftOutBy,
  leavesRows,
  minutesLeft,
  originOf,
  plannedBy,
  runOptionsOf,
  stateOf,
  type Import,
} from './standing';
import { words } from './texts';
import { correct } from './upload';
import { Verdicts } from './verdicts';

const ASK_EVERY_MS = 1500;

/** An import, from check to verification. Polled while the import is running. */
export function OneImport({ id }: { id: string }) {
  const [isMoving, setMoving] = useState(false);
  const params = { path: { id } };
  const found = useQuery(
    `import:${id}`,
    () => bodyOf(api.GET('/api/v1/imports/{id}', { params })),
    isMoving ? { everyMs: ASK_EVERY_MS } : {},
  );
  const one = found.value;
  const moves = one !== undefined && (isUnfinished(one) || isUndoing(one));
  useEffect(() => {
    // The import may have changed all lists.
    if (isMoving && !moves) outdate('imports', 'links', 'overview', 'tags', 'import-rows');
    setMoving(moves);
  }, [moves]);
  return (
    <>
      <p class="crumb">
        <Link to="/import">
          <Icon name="back" /> {words.all}
        </Link>
      </p>
      <h1 tabIndex={-1}>
        {one === undefined ? texts.nav.import : words.title(nameInSentence(one.source))}
      </h1>
      {one !== undefined && (
        <p class="lead import-file">
          <bdi>{originOf(one)}</bdi>
        </p>
      )}
      <Loading found={found} rows={4} />
      {one !== undefined && <Contents one={one} />}
    </>
  );
}

function Contents({ one }: { one: Import }) {
  const moves = isUnfinished(one);
  const isRun = !one.dry_run && one.state === 'done' && !isUndone(one);
  const leftOut = leftOutBy(one);
  return (
    <>
      <section class="card import-state">
        <p role="status" class="standing">
          <strong>{stateOf(one)}</strong>
          {one.state === 'waiting' && one.error !== null && <> · {one.error.error}</>}
          {one.waits_until !== null && <> · {words.goesOn(clockTime(one.waits_until))}</>}
        </p>
        {moves && <Progress label={words.progress} {...progressOf(one)} />}
        {one.state === 'waiting' && <p class="hint">{words.waitingHint}</p>}
        {one.undo !== null && <Undo undo={one.undo} />}
        {!moves && <History history={one.history} />}
        {one.state === 'failed' && (
          <div class="problem" role="alert">
            <p>{one.error?.error ?? texts.problems.unknown}</p>
          </div>
        )}
        {one.same_file_as !== null && (
          <p class="hint">
            {words.sameFile} <Link to={`/import/${one.same_file_as}`}>{words.sameFileLink}</Link>
          </p>
        )}
        {one.last_sync_at !== null && (
          <p class="hint">
            {words.synced} <Ago at={new Date(one.last_sync_at * 1000)} />
          </p>
        )}
        <Acts one={one} />
      </section>
      {isRun && leftOut > 0 && <p class="notice">{words.leftOut(count(leftOut), leftOut)}</p>}
      {isRun && one.proof !== null && <Proof proof={one.proof} />}
      <Verdicts one={one} />
    </>
  );
}

function History({ history }: { history: Import['history'] }) {
  const kinds = ['clicks', 'counted_clicks', 'dropped_clicks'] as const;
  const said = kinds.filter((kind) => history[kind] > 0);
  if (said.length === 0) return null;
  return (
    <ul class="facts">
      {said.map((kind) => (
        <li key={kind}>{words.clicks[kind](count(history[kind]), history[kind])}</li>
      ))}
    </ul>
  );
}

interface ProgressProps {
  readonly label: string;
  readonly done: number;
  readonly total: number | null;
  readonly text: (done: number, total: number | null) => string;
}

function Progress({ label, done, total, text }: ProgressProps) {
  return (
    <>
      <progress
        aria-label={label}
        max={total ?? undefined}
        value={total === null ? undefined : Math.min(done, total)}
      />
      <p class="hint">{text(done, total)}</p>
    </>
  );
}

/**
 * Progress of the slowest part: first the rows, then a file's individual clicks. Until the end,
 * `counted_clicks` includes clicks that have not been read yet.
 */
function progressOf(one: Import): Omit<ProgressProps, 'label'> {
  const { progress, history, base_url, requests } = one;
  const { clicks, counted_clicks: rest } = history;
  if (base_url === null && clicks > 0) {
    const text = (done: number, total: number | null): string =>
      words.clicksRead(count(done), count(total ?? done), total ?? done);
    return { done: clicks, total: clicks + rest, text };
  }
  const found =
    clicks + rest === 0 ? '' : `, ${words.clicksFound(count(clicks + rest), clicks + rest)}`;
  const sent = requests === null ? '' : `, ${words.requests(count(requests), requests)}`;
  const minutes = minutesLeft(one, Date.now());
  const left = minutes === null ? '' : `, ${words.minutesLeft(count(minutes), minutes)}`;
  return { ...progress, text: (done, total) => rowsText(done, total) + found + sent + left };
}

const rowsText = (done: number, total: number | null): string => {
  if (total !== null) return words.rowsOf(count(done), count(total), total);
  return done === 0 ? words.reading : words.rows(count(done), done);
};

function Undo({ undo }: { undo: NonNullable<Import['undo']> }) {
  const { deleted, total } = undo;
  const text = words.deletedLinks(count(deleted), count(total), total);
  if (isUnfinished(undo))
    return <Progress label={words.undo} done={deleted} total={total} text={() => text} />;
  const outcome = undo.state === 'done' ? words.undone : words.undoStopped;
  return (
    <p class="hint">
      {outcome}: {text}
    </p>
  );
}

function Acts({ one }: { one: Import }) {
  const submission = useSubmission();
  const [asking, setAsking] = useState<'remove' | 'undo' | null>(null);
  const params = { path: { id: one.id } };
  const moves = isUnfinished(one) || isUndoing(one);
  const act = (ask: () => Promise<Import>): void =>
    submission.run(async () => know(`import:${one.id}`, await ask()));
  const isChecked = one.dry_run && one.state === 'done';
  const [options, setOptions] = useState(() => runOptionsOf(one));
  const planned = plannedBy(one, options);
  const run = (): void => {
    const tags = options.tags.split(',').map((name) => name.trim());
    const chosen = { ...options, tags: tags.filter((name) => name !== '') };
    const body = isChecked ? { options: chosen } : {};
    act(() => bodyOf(api.POST('/api/v1/imports/{id}/run', { params, body })));
  };
  const [key, setKey] = useState('');
  const hasRun = !moves && !one.dry_run && one.base_url !== null;
  // The service does not store keys that the other service has rejected.
  const lacksKey =
    hasRun &&
    (one.error?.code === 'authentication_error' ||
      submission.failure?.fields['credential'] !== undefined);
  const isSynced = hasRun && (one.state === 'done' || lacksKey);
  const sync = (): void => {
    const body = key === '' ? {} : { credential: key };
    act(() => bodyOf(api.POST('/api/v1/imports/{id}/sync', { params, body })));
  };
  const remove = async (): Promise<void> => {
    await bodyOf(api.DELETE('/api/v1/imports/{id}', { params }));
    outdate('imports');
    go('/import');
    say(words.removed);
  };
  const undo = async (): Promise<void> => {
    const body = { expected: one.undoable };
    try {
      know(
        `import:${one.id}`,
        await bodyOf(api.POST('/api/v1/imports/{id}/undo', { params, body })),
      );
    } catch (thrown) {
      // The number of links may have changed.
      outdate('import:');
      throw thrown;
    }
  };
  return (
    <>
      <Problem failure={submission.failure} />
      {lacksKey && (
        <Field
          label={words.key}
          name="credential"
          type="password"
          value={key}
          change={setKey}
          hint={words.keyHint}
          failure={submission.failure}
          autocomplete="off"
        />
      )}
      {isChecked && leavesRows(one) && <Options one={one} chosen={options} change={setOptions} />}
      <div class="actions">
        {isChecked && (
          <button
            type="button"
            disabled={planned === 0}
            aria-busy={submission.isRunning}
            onClick={run}
          >
            {options.on_existing === 'update' && (one.counts.unchanged ?? 0) > 0
              ? words.runUpTo(count(planned), planned)
              : words.run(count(planned), planned)}
          </button>
        )}
        {one.dry_run && !moves && (
          <button
            type="button"
            class="quiet"
            onClick={() => {
              correct(one);
              go('/import');
            }}
          >
            {words.correct}
          </button>
        )}
        {!one.dry_run && (one.state === 'failed' || one.state === 'cancelled') && !lacksKey && (
          <button type="button" aria-busy={submission.isRunning} onClick={run}>
            {words.goOn}
          </button>
        )}
        {isSynced && (
          <button type="button" aria-busy={submission.isRunning} onClick={sync}>
            {words.sync}
          </button>
        )}
        {!one.dry_run && one.state === 'done' && !isUndone(one) && (
          <Link
            class={isSynced ? 'button quiet' : 'button'}
            to="/links"
            search={new URLSearchParams({ source: one.id })}
          >
            {words.showLinks}
          </Link>
        )}
        {isUnfinished(one) && (
          <button
            type="button"
            class="quiet"
            onClick={() => act(() => bodyOf(api.POST('/api/v1/imports/{id}/cancel', { params })))}
          >
            {words.cancel}
          </button>
        )}
        {!moves && Object.keys(one.counts).length > 0 && <Report id={one.id} />}
        {!moves && (
          <button type="button" class="quiet bad" onClick={() => setAsking('remove')}>
            {words.remove}
          </button>
        )}
        {!moves && one.undoable > 0 && (
          <button type="button" class="quiet bad" onClick={() => setAsking('undo')}>
            {words.undo}
          </button>
        )}
      </div>
      {isSynced && <p class="hint">{words.syncHint}</p>}
      {isChecked && !leavesRows(one) && <p class="hint">{words.nothing}</p>}
      {asking === 'remove' && (
        <FormDialog
          title={words.removeTitle}
          act={words.remove}
          run={remove}
          close={() => setAsking(null)}
          isBad
        >
          {() => <p>{words.removing}</p>}
        </FormDialog>
      )}
      {asking === 'undo' && (
        <FormDialog
          title={words.undo}
          act={words.deleteLinks(count(one.undoable), one.undoable)}
          run={undo}
          close={() => setAsking(null)}
          isBad
        >
          {() => (
            <>
              <p>{words.undoing(count(one.undoable), one.undoable)}</p>
              {one.undoable_clicked > 0 && (
                <p>{words.clickedSince(count(one.undoable_clicked), one.undoable_clicked)}</p>
              )}
            </>
          )}
        </FormDialog>
      )}
    </>
  );
}

/** The app downloads the report, because it may have to renew an expired session first. */
function Report({ id }: { id: string }) {
  const address = `/api/v1/imports/${id}/report.csv`;
  return (
    <a
      class="button quiet"
      href={address}
      download
      onClick={(event) => {
        event.preventDefault();
        fileOf(address)
          .then(save)
          .catch((thrown: unknown) => sayFailure(failureOf(thrown)));
      }}
    >
      <Icon name="download" /> {words.report}
    </a>
  );
}
