import { api, bodyOf } from '../../api/client';
import { useDraft } from '../../data/drafts';
import { account } from '../../data/first-answer';
import { useStore } from '../../data/store';
import { say } from '../../data/toasts';
import { Field, FormProblem, Submit, useSubmission } from '../../parts/form';
import { texts } from '../../texts';

export function Profile() {
  const user = useStore(account);
  const t = texts.settings;
  const [draft, change, forget] = useDraft('profile', { user_name: user?.user_name ?? '' });
  const submission = useSubmission();
  const save = async (): Promise<void> => {
    const name = draft.user_name.trim();
    const body = { user_name: name === '' ? null : name };
    const { user: saved } = await bodyOf(api.PATCH('/auth/me', { body }));
    account.set(saved);
    forget();
    say(texts.saved);
  };
  return (
    <form
      class="card"
      aria-labelledby="profile"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        submission.run(save);
      }}
    >
      <h2 id="profile">{t.profile}</h2>
      <p class="hint">{t.signedInAs(user?.email ?? '')}</p>
      <Field
        label={t.name}
        name="user_name"
        value={draft.user_name}
        change={(user_name) => change({ user_name })}
        failure={submission.failure}
        autocomplete="name"
        isOptional
      />
      <FormProblem failure={submission.failure} shown={['user_name']} />
      <Submit
        label={texts.save}
        submission={submission}
        isDisabled={draft.user_name.trim() === (user?.user_name ?? '')}
      />
    </form>
  );
}
