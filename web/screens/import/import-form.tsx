import { useId, useRef, useState } from 'preact/hooks';
import { useDraft } from '../../data/drafts';
import { useStore } from '../../data/store';
import { browserZone } from '../../data/zones';
import { share } from '../../format';
import { Choice, Field, FieldNotes } from '../../parts/form';
import { Problem, useSecondsUntil } from '../../parts/problem';
import { go, place } from '../../router';
import { Columns, type Mapping } from './columns';
import { SOURCES } from './sources';
import { words } from './texts';
import { forgetRefusal, sendSource, upload } from './upload';

const FIRST = {
  source: SOURCES[0]?.source ?? '',
  on_conflict: 'skip',
  on_existing: 'skip',
  history: 'all',
  protected: 'inactive',
  timezone: 'UTC',
  tags: '',
  base_url: '',
  credential: '',
};

const ZONES = [...new Set(['UTC', browserZone, ...Intl.supportedValuesOf('timeZone')])].map(
  (zone) => [zone, zone === browserZone && zone !== 'UTC' ? words.ofBrowser(zone) : zone] as const,
);

const choices = (rules: Readonly<Record<string, string>>) => Object.entries(rules);

export function ImportForm() {
  const [draft, change] = useDraft('import', FIRST, ['credential']);
  const [file, setFile] = useState<File | null>(null);
  const [isMissing, setMissing] = useState(false);
  const [mapping, setMapping] = useState<Mapping>({});
  const state = useStore(upload);
  const wait = useSecondsUntil(state.failure?.retryAt ?? null);
  const row = SOURCES.find(({ source }) => source === draft.source) ?? SOURCES[0];
  const isService = row?.address !== undefined;
  const choose = (chosen: File | null): void => {
    setFile(chosen);
    setMissing(false);
    setMapping({});
    forgetRefusal();
  };
  const check = async (): Promise<void> => {
    const { source, tags, base_url, credential, ...options } = draft;
    const from = isService ? { ...(base_url !== '' && { base_url }), credential } : file;
    const isLacking = isService
      ? credential === '' || (base_url === '' && row.address === '')
      : file === null;
    if (isLacking || from === null) {
      setMissing(true);
      setTimeout(() =>
        document.querySelector<HTMLElement>('.import-form [aria-invalid="true"]')?.focus(),
      );
      return;
    }
    const names = tags.split(',').map((name) => name.trim());
    const given = { ...options, tags: names.filter((name) => name !== '') };
    const made = await sendSource(source, isService ? given : { ...given, mapping }, from);
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
      <Choice
        label={words.source}
        name="source"
        value={row?.source ?? ''}
        options={SOURCES.map(({ source, name }) => [source, name] as const)}
        change={(source) => {
          // Clears the key, which belongs to the previous service.
          change({ source, base_url: '', credential: '' });
          setMissing(false);
          forgetRefusal();
        }}
        hint={row?.hint}
      />
      {row?.address === undefined ? (
        <FileField isMissing={isMissing} choose={choose} />
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
      <fieldset class="import-options">
        <legend>{words.options}</legend>
        <div class="pair">
          <Choice
            label={words.onConflict}
            value={draft.on_conflict}
            options={choices(words.conflicts)}
            change={(rule) => change({ on_conflict: rule })}
          />
          <Choice
            label={words.onExisting}
            value={draft.on_existing}
            options={choices(words.existing)}
            change={(rule) => change({ on_existing: rule })}
          />
          <Choice
            label={words.history}
            value={draft.history}
            options={choices(words.histories)}
            change={(history) => change({ history })}
            hint={words.historyHint}
          />
          <Choice
            label={words.protected}
            value={draft.protected}
            options={choices(words.protectedRules)}
            change={(rule) => change({ protected: rule })}
            hint={words.protectedHint}
          />
          <Choice
            label={words.timezone}
            value={draft.timezone}
            options={ZONES}
            change={(timezone) => change({ timezone })}
            hint={words.timezoneHint}
          />
          <Field
            label={words.tags}
            name="tags"
            value={draft.tags}
            change={(tags) => change({ tags })}
            hint={words.tagsHint}
            autocomplete="off"
            isOptional
          />
        </div>
      </fieldset>
      <Problem failure={state.failure} />
      <div class="actions">
        <button
          type="submit"
          aria-disabled={state.isRunning || wait > 0}
          aria-busy={state.isRunning}
        >
          {words.check}
        </button>
        {state.isRunning && !isService && (
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

function FileField({
  isMissing,
  choose,
}: {
  isMissing: boolean;
  choose: (file: File | null) => void;
}) {
  const input = useRef<HTMLInputElement>(null);
  const [isOver, setOver] = useState(false);
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
