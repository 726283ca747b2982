import { useState } from 'preact/hooks';
import { api, bodyOf, type Schemas } from '../../api/client';
import { features } from '../../data/first-answer';
import { useDraft } from '../../data/drafts';
import { outdate } from '../../data/query';
import { Copy } from '../../parts/copy';
import { Dialog } from '../../parts/dialog';
import { Check, Field, FormProblem, Submit, useSubmission } from '../../parts/form';
import { texts } from '../../texts';

type Scope = Schemas['CreateKeyDto']['scopes'][number];
type Created = Schemas['CreatedApiKeyResponse'];

const SCOPES: readonly Scope[] = [
  'shorten:create',
  'urls:read',
  'urls:manage',
  'stats:read',
  'domains:read',
  'domains:manage',
  'reports:create',
  'admin:all',
];

const ALL: Scope = 'admin:all';

interface KeyDraft {
  readonly name: string;
  readonly description: string;
  readonly expires: string;
  readonly scopes: readonly Scope[];
}

const EMPTY: KeyDraft = { name: '', description: '', expires: '', scopes: ['shorten:create'] };

/** `admin:all` includes all other scopes, so it replaces them, and choosing one replaces it. */
function withScope(scopes: readonly Scope[], scope: Scope, isChosen: boolean): readonly Scope[] {
  if (!isChosen) return scopes.filter((each) => each !== scope);
  if (scope === ALL) return [ALL];
  return SCOPES.filter((each) => each === scope || (each !== ALL && scopes.includes(each)));
}

export function NewKey({ close }: { close: () => void }) {
  const [made, setMade] = useState<Created | null>(null);
  return (
    <Dialog
      title={made === null ? texts.keys.create : texts.keys.created}
      close={close}
      kind="drawer"
    >
      {made === null ? <Form done={setMade} /> : <Secret made={made} close={close} />}
    </Dialog>
  );
}

function Form({ done }: { done: (made: Created) => void }) {
  const [draft, change, forget] = useDraft('new-key', EMPTY);
  const submission = useSubmission();
  const t = texts.keys;
  const send = async (): Promise<void> => {
    const body = {
      name: draft.name,
      scopes: [...draft.scopes],
      ...(draft.description.trim() === '' ? {} : { description: draft.description.trim() }),
      // The key expires at the end of the chosen day in the local time zone.
      ...(draft.expires === ''
        ? {}
        : { expires_at: Math.floor(new Date(`${draft.expires}T23:59:59`).getTime() / 1000) }),
    };
    const made = await bodyOf(api.POST('/api/v1/keys', { body }));
    forget();
    outdate('keys', 'overview');
    done(made);
  };
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        submission.run(send);
      }}
    >
      <Field
        label={t.name}
        name="name"
        value={draft.name}
        change={(name) => change({ name })}
        failure={submission.failure}
        required
        autocomplete="off"
        placeholder={t.nameExample}
        data-autofocus
      />
      <fieldset class="scope-list">
        <legend>{t.may}</legend>
        {submission.failure?.fields['scopes'] !== undefined && (
          <p class="field-problem">{t.noScope}</p>
        )}
        {SCOPES.map((scope) => (
          <Check
            key={scope}
            label={t.scopes[scope].name}
            hint={t.scopes[scope].meaning}
            checked={draft.scopes.includes(scope)}
            change={(isChosen) => change({ scopes: withScope(draft.scopes, scope, isChosen) })}
          />
        ))}
      </fieldset>
      <Field
        label={t.expires}
        name="expires_at"
        type="date"
        value={draft.expires}
        change={(expires) => change({ expires })}
        failure={submission.failure}
        isOptional
        hint={t.expiresHint}
      />
      <Field
        label={t.description}
        name="description"
        value={draft.description}
        change={(description) => change({ description })}
        failure={submission.failure}
        isOptional
      />
      <footer class="dialog-foot">
        <FormProblem
          failure={submission.failure}
          shown={['name', 'scopes', 'expires_at', 'description']}
        />
        <Submit label={t.submit} submission={submission} />
      </footer>
    </form>
  );
}

function Secret({ made, close }: { made: Created; close: () => void }) {
  const example = `curl -H 'Authorization: Bearer ${made.token}' \\\n  -H 'Content-Type: application/json' \\\n  -d '{"long_url": "https://example.com"}' \\\n  ${features.base_url}/api/v1/shorten`;
  return (
    <div class="made">
      <p class="notice">{texts.keys.once}</p>
      <p class="secret">
        <code>{made.token}</code>
      </p>
      <div class="actions">
        <Copy text={made.token} what={texts.keys.secret} class="" />
        <button type="button" class="quiet" onClick={close}>
          {texts.keys.saved}
        </button>
      </div>
      <h3>{texts.keys.tryIt}</h3>
      <pre class="scroll" tabIndex={0}>
        {example}
      </pre>
      <Copy text={example} what={texts.keys.command} />
      <p>
        <a href="/docs">{texts.account.api}</a>
      </p>
    </div>
  );
}
