import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { distinctTagNames } from '../../../src/stores/tags/tag';
import { features } from '../../data/first-answer';
import { useDraft } from '../../data/drafts';
import { csvFile } from '../../data/csv';
import { save } from '../../data/files';
import { bare, count, duration } from '../../format';
import { Copy } from '../../parts/copy';
import { Dialog } from '../../parts/dialog';
import { type ChosenDomain, DomainChoice, useChosenDomain } from '../../parts/domain-choice';
import { Field } from '../../parts/form';
import { Icon } from '../../parts/icons';
import { Problem, useSecondsUntil } from '../../parts/problem';
import { problemOfTags } from '../../parts/link-problems';
import { TagsField } from '../../parts/tags';
import { go, goWith } from '../../router';
import { texts } from '../../texts';
import { batchesOf } from './batches';
import {
  correctionText,
  type Line,
  type Lines,
  linesOfFile,
  linesOfText,
  MAX_LINES,
  exampleFile,
  problemFile,
  type Rejected,
} from './lines';
import { PreviewTable } from './preview-table';
import { findRejected, outcomesOf, useRun } from './run';

interface ManyDraft {
  readonly text: string;
  /** Default domain; '' if not chosen. */
  readonly domain: string;
  readonly tags: readonly string[];
  /** Prefix of the idempotency keys, so that sending the same lines again creates no duplicates. */
  readonly run: string;
}

const EMPTY: ManyDraft = { text: '', domain: '', tags: [], run: '' };

const newRun = (): string =>
  Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) => part.toString(36)).join('');

const close = (): void => goWith({ many: null }, 'replace');

export function ManyLinks() {
  const [draft, change, forget] = useDraft('many', EMPTY);
  const [file, setFile] = useState<{ name: string; text: string } | null>(null);
  const [now] = useState(() => Date.now());
  const run = useRun();
  const found = useMemo(
    () =>
      file === null
        ? linesOfText(draft.text, features.base_url, now)
        : linesOfFile(file.text, features.base_url, now),
    [draft.text, file, now],
  );
  /** Keeps rejected lines in the text field. */
  const again = (): void => {
    const rejected = findRejected(run);
    if (rejected.length === 0) forget();
    else change({ text: correctionText(run.header, rejected), run: '' });
    setFile(null);
    run.reset();
  };
  const tagsProblem = problemOfTags(draft.tags);
  const chosen = useChosenDomain(draft.domain);
  const good = found.lines.filter(({ problems }) => problems.length === 0);
  const isTooMany = found.lines.length > MAX_LINES;
  const start = (): void => {
    const key = draft.run === '' ? newRun() : draft.run;
    change({ run: key });
    run.start(
      batchesOf(
        key,
        good.map((line) => withDomain(withTags(line, draft.tags), chosen)),
      ),
      found,
    );
  };
  const t = texts.many;
  return (
    <Dialog title={t.title} close={close} kind="wide">
      <div class="many">
        {run.batches === null ? (
          <>
            <Source
              draft={draft}
              file={file}
              // Changed lines need new idempotency keys.
              type={(text) => change({ text, run: '' })}
              take={(next) => {
                setFile(next);
                change({ run: '' });
              }}
            />
            {isTooMany && (
              <p class="problem" role="alert">
                {t.tooMany(count(found.lines.length), count(MAX_LINES))}
              </p>
            )}
            {!isTooMany && found.lines.length > 0 && (
              <>
                <Preview found={found} />
                <DomainChoice of={chosen} change={(domain) => change({ domain, run: '' })} />
                <TagsField
                  label={t.tagsForAll}
                  chosen={draft.tags}
                  change={(tags) => change({ tags, run: '' })}
                />
                <footer class="dialog-foot">
                  <button
                    type="button"
                    disabled={good.length === 0 || tagsProblem !== null}
                    onClick={start}
                  >
                    {t.create(count(good.length), good.length)}
                  </button>
                </footer>
              </>
            )}
            {found.lines.length === 0 && file !== null && <p role="alert">{t.noneFound}</p>}
          </>
        ) : (
          <Results run={run} again={again} />
        )}
      </div>
    </Dialog>
  );
}

function withTags(line: Line, tags: readonly string[]): Line {
  const all = distinctTagNames([...(line.input.tags ?? []), ...tags]);
  return all.length === 0 ? line : { ...line, input: { ...line.input, tags: all } };
}

/** The domain in a line takes precedence. */
function withDomain(line: Line, { isOffered, domain }: ChosenDomain): Line {
  return isOffered ? { ...line, input: { domain, ...line.input } } : line;
}

interface SourceProps {
  readonly draft: ManyDraft;
  readonly file: { readonly name: string } | null;
  readonly type: (text: string) => void;
  readonly take: (file: { name: string; text: string } | null) => void;
}

const MAX_FILE_BYTES = 20_000_000;

function Source({ draft, file, type, take }: SourceProps) {
  const [isUnread, setUnread] = useState(false);
  const t = texts.many;
  const read = (chosen: File | undefined): void => {
    setUnread(false);
    if (chosen === undefined) take(null);
    else if (chosen.size > MAX_FILE_BYTES) setUnread(true);
    else
      chosen.text().then(
        (text) => take({ name: chosen.name, text }),
        () => setUnread(true),
      );
  };
  return (
    <>
      {file === null && (
        <Field
          label={t.destinations}
          name="destinations"
          lines={7}
          value={draft.text}
          change={type}
          hint={t.destinationsHint}
          placeholder={'example.com/one\nexample.com/two'}
          data-autofocus
        />
      )}
      <div class="field">
        <label for="many-file">{t.file}</label>
        <input
          id="many-file"
          type="file"
          accept=".csv,.tsv,.txt,text/csv,text/plain"
          aria-describedby="many-file-hint"
          onChange={(event) => read(event.currentTarget.files?.[0])}
        />
        {isUnread && (
          <p class="field-problem" role="alert">
            {t.notRead}
          </p>
        )}
        <div class="hint" id="many-file-hint">
          {t.fileHint}
        </div>
        <details>
          <summary>{t.fieldsTitle}</summary>
          <dl class="column-names">
            {t.fields.map(([name, meaning]) => (
              <div key={name}>
                <dt>{name}</dt>
                <dd class="hint">{meaning}</dd>
              </div>
            ))}
          </dl>
        </details>
        <button type="button" class="plain small" onClick={() => save(exampleFile())}>
          <Icon name="download" /> {t.example}
        </button>
      </div>
    </>
  );
}

function Preview({ found: { header, lines, unused } }: { found: Lines }) {
  const [isOnlyBad, setOnlyBad] = useState(false);
  const bad = lines.filter(({ problems }) => problems.length > 0);
  const rejected = bad.map((line) => ({ line, problems: line.problems }));
  const t = texts.many;
  return (
    <div>
      <p class={bad.length > 0 ? 'preview-line bad' : 'preview-line'} role="status">
        {t.problemsOf(count(bad.length), count(lines.length), lines.length)}
      </p>
      {unused.length > 0 && (
        <p class="hint" dir="auto">
          {t.unused(unused)}
        </p>
      )}
      {bad.length > 0 && bad.length < lines.length && (
        <label class="only-bad">
          <input
            type="checkbox"
            checked={isOnlyBad}
            onChange={(event) => setOnlyBad(event.currentTarget.checked)}
          />
          {t.onlyProblems}
        </label>
      )}
      <PreviewTable
        label={t.preview}
        lines={isOnlyBad && bad.length > 0 ? bad : lines}
        last={t.columns.problem}
        showLast={({ problems }) =>
          problems.length === 0 ? (
            <span class="hint">{t.fine}</span>
          ) : (
            <span class="why">{problems.join(' ')}</span>
          )
        }
        isBad={({ problems }) => problems.length > 0}
      />
      <ProblemDownload header={header} rejected={rejected} />
    </div>
  );
}

interface ProblemDownloadProps {
  readonly header: Lines['header'];
  readonly rejected: readonly Rejected[];
}

function ProblemDownload({ header, rejected }: ProblemDownloadProps) {
  if (rejected.length === 0) return null;
  return (
    <button type="button" class="quiet" onClick={() => save(problemFile(header, rejected))}>
      <Icon name="download" />{' '}
      {texts.many.downloadProblems(count(rejected.length), rejected.length)}
    </button>
  );
}

interface ResultsProps {
  readonly run: ReturnType<typeof useRun>;
  readonly again: () => void;
}

function Results({ run, again }: ResultsProps) {
  const t = texts.many;
  const batches = run.batches ?? [];
  const lines = batches.flatMap((batch) => batch.lines);
  const outcomes = outcomesOf(batches);
  const left = useSecondsUntil(run.waitsUntil);
  const made = outcomes.flatMap((outcome) => ('shortUrl' in outcome ? [outcome.shortUrl] : []));
  const rejected = findRejected(run);
  const isDone = outcomes.length === lines.length;
  const heading = useRef<HTMLParagraphElement>(null);
  useEffect(() => heading.current?.focus(), []);
  const file = (): void => {
    const rows = lines.map(({ input }, i) => {
      const outcome = outcomes[i];
      const [shortUrl, refusal] =
        outcome === undefined
          ? ['', '']
          : 'shortUrl' in outcome
            ? [outcome.shortUrl, '']
            : ['', outcome.refusal];
      return [shortUrl, input.long_url, input.title ?? '', (input.tags ?? []).join(', '), refusal];
    });
    save(
      csvFile('curtail-new-links.csv', ['short_url', 'long_url', 'title', 'tags', 'error'], rows),
    );
  };
  return (
    <>
      <p class="preview-line" role="status" tabIndex={-1} ref={heading}>
        {isDone
          ? t.made(count(made.length), made.length)
          : t.progress(count(outcomes.length), count(lines.length))}
        {rejected.length > 0 && `, ${t.refused(count(rejected.length), rejected.length)}`}
      </p>
      {!isDone && (
        <progress
          aria-label={t.progress(count(outcomes.length), count(lines.length))}
          value={outcomes.length}
          max={lines.length}
        />
      )}
      {left > 0 && <p class="hint">{t.waits(duration(left))}</p>}
      <Problem failure={run.failure} retry={run.resume} resumesItself={false} />
      {outcomes.length > 0 && (
        <>
          <div class="actions">
            {made.length > 0 && (
              <Copy text={made.join('\n')} what={t.shortUrls} class="" label={t.copyAll} />
            )}
            <button type="button" class="quiet" onClick={file}>
              <Icon name="download" /> {t.download}
            </button>
            {isDone && (
              <button type="button" class="quiet" onClick={again}>
                <Icon name={rejected.length > 0 ? 'edit' : 'plus'} />{' '}
                {rejected.length > 0 ? t.correct(count(rejected.length), rejected.length) : t.again}
              </button>
            )}
            {isDone && <ProblemDownload header={run.header} rejected={rejected} />}
            {isDone && (
              <button
                type="button"
                class="quiet"
                onClick={() => {
                  again();
                  go('/links');
                }}
              >
                <Icon name="links" /> {t.toLinks}
              </button>
            )}
          </div>
          <PreviewTable
            label={t.columns.result}
            lines={lines.slice(0, outcomes.length)}
            last={t.columns.result}
            showLast={(_, i) => {
              const outcome = outcomes[i];
              if (outcome === undefined) return null;
              return 'shortUrl' in outcome ? (
                <a href={outcome.shortUrl} target="_blank" rel="noreferrer">
                  {bare(outcome.shortUrl)}
                </a>
              ) : (
                <span class="why">{outcome.refusal}</span>
              );
            }}
            isBad={(_, i) => 'refusal' in (outcomes[i] ?? {})}
          />
        </>
      )}
    </>
  );
}
