import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { useDraft } from '../../data/drafts';
import { useStore } from '../../data/store';
import { share } from '../../format';
import { Choice, Field, FieldNotes, FormProblem } from '../../parts/form';
import { useSecondsUntil } from '../../parts/problem';
import { go, place } from '../../router';
import { Columns, type Mapping } from './columns';
import { firstOf, kindOf, SOURCES } from './sources';
import { words } from './texts';
import { forgetRefusal, sendSource, takeCorrection, upload } from './upload';

const FIRST = { source: SOURCES[0]?.source ?? '', base_url: '', credential: '' };

const KINDS = ['file', 'address'] as const;

export function ImportForm() {
  const [draft, change] = useDraft('import', FIRST, ['credential']);
  const [correction] = useState(takeCorrection);
  const [file, setFile] = useState<File | null>(correction?.file ?? null);
  const [isMissing, setMissing] = useState(false);
  const [mapping, setMapping] = useState<Mapping>(correction?.options.mapping ?? {});
  const state = useStore(upload);
  const wait = useSecondsUntil(state.failure?.retryAt ?? null);
  useEffect(() => {
    if (correction !== null) change({ source: correction.source, base_url: correction.base_url });
  }, []);
  const row = SOURCES.find(({ source }) => source === draft.source) ?? SOURCES[0];
  const kind = row === undefined ? 'file' : kindOf(row);
  const choose = (chosen: File | null): void => {
    setFile(chosen);
    setMissing(false);
    setMapping({});
    forgetRefusal();
  };
  const chooseSource = (source: string): void => {
    // Clears the key, which belongs to the previous service.
    change({ source, base_url: '', credential: '' });
    setMissing(false);
    forgetRefusal();
  };
  const check = async (): Promise<void> => {
    const { source, base_url, credential } = draft;
    const isService = kind === 'address';
    const from = isService ? { ...(base_url !== '' && { base_url }), credential } : file;
    const isLacking = isService
      ? credential === '' || (base_url === '' && row?.address === '')
      : file === null;
    if (isLacking || from === null) {
      setMissing(true);
      setTimeout(() =>
        document.querySelector<HTMLElement>('.import-form [aria-invalid="true"]')?.focus(),
      );
      return;
    }
    // All other options are chosen after the check, which shows the ones that matter.
    const options = { ...correction?.options, mapping: isService ? {} : mapping };
    const made = await sendSource(source, options, from);
    if (made !== null) change({ credential: '' });
    // A finished upload must not navigate away from another screen.
    if (made !== null && place.get().path === '/import') go(`/import/${made.id}`);
  };
  return (
    <form
      class="card import-form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (wait === 0) void check();
      }}
    >
      <fieldset class="field">
        <legend>{words.kind}</legend>
        <span class="choices">
          {KINDS.map((each) => (
            <label key={each}>
              <input
                type="radio"
                name="kind"
                checked={each === kind}
                onChange={() => chooseSource(firstOf(each))}
              />
              <span>{words.kinds[each]}</span>
            </label>
          ))}
        </span>
      </fieldset>
      <Choice
        label={words.source}
        name="source"
        value={row?.source ?? ''}
        options={SOURCES.filter((each) => kindOf(each) === kind).map(
          ({ source, name }) => [source, name] as const,
        )}
        change={chooseSource}
        hint={row?.hint}
      />
      {row?.address === undefined ? (
        <FileField isMissing={isMissing} file={file} choose={choose} />
      ) : (
        <div class="pair">
          <Field
            label={words.address}
            name="base_url"
            value={draft.base_url}
            change={(base_url) => change({ base_url })}
            placeholder={row.address}
            hint={row.address === '' ? words.addressHint : undefined}
            problem={isMissing && row.address + draft.base_url === '' ? words.noAddress : undefined}
            failure={state.failure}
            inputMode="url"
            autocomplete="off"
            isOptional={row.address !== ''}
          />
          <Field
            label={words.key}
            name="credential"
            type="password"
            value={draft.credential}
            change={(credential) => change({ credential })}
            hint={words.keyHint}
            problem={isMissing && draft.credential === '' ? words.noKey : undefined}
            failure={state.failure}
            autocomplete="off"
          />
        </div>
      )}
      {state.columns !== null && (
        <Columns columns={state.columns} mapping={mapping} change={setMapping} />
      )}
      <FormProblem failure={state.failure} shown={['base_url', 'credential']} />
      <div class="actions">
        <button
          type="submit"
          aria-disabled={state.isRunning || wait > 0}
          aria-busy={state.isRunning}
        >
          {words.check}
        </button>
        {state.isRunning && kind === 'file' && (
          <p class="sent">
            <progress aria-label={words.upload} value={state.share} max={1} />
            <span role="status">
              {state.share < 1 ? words.uploading(share(state.share, 1)) : words.arrived}
            </span>
          </p>
        )}
      </div>
    </form>
  );
}

interface FileFieldProps {
  readonly isMissing: boolean;
  /** A previously chosen file, which the input shows again. */
  readonly file: File | null;
  readonly choose: (file: File | null) => void;
}

function FileField({ isMissing, file, choose }: FileFieldProps) {
  const input = useRef<HTMLInputElement>(null);
  const [isOver, setOver] = useState(false);
  useEffect(() => {
    if (file === null || input.current === null) return;
    const files = new DataTransfer();
    files.items.add(file);
    input.current.files = files.files;
  }, []);
  const id = useId();
  return (
    <div
      class={isOver ? 'field drop over' : 'field drop'}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        const files = event.dataTransfer?.files;
        if (files === undefined || files.length === 0 || input.current === null) return;
        input.current.files = files;
        choose(files[0] ?? null);
      }}
    >
      <label for={id}>{words.file}</label>
      <input
        ref={input}
        id={id}
        type="file"
        aria-invalid={isMissing}
        aria-describedby={isMissing ? `${id}-hint ${id}-problem` : `${id}-hint`}
        onChange={(event) => choose(event.currentTarget.files?.[0] ?? null)}
      />
      <FieldNotes id={id} problem={isMissing ? words.noFile : undefined} hint={words.drop} />
    </div>
  );
}
