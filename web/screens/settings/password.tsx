import { useState } from 'preact/hooks';
import { api, bodyOf } from '../../api/client';
import { account } from '../../data/first-answer';
import { outdate } from '../../data/query';
import { useStore } from '../../data/store';
import { say } from '../../data/toasts';
import { Field, FormProblem, Submit, useSubmission } from '../../parts/form';
import { texts } from '../../texts';

/** Changes the password, or sets one for an account that signs in through a provider. */
export function Password() {
  const user = useStore(account);
  const t = texts.settings.password;
  const [current, setCurrent] = useState('');
  const [next, setNext] = useState('');
  const submission = useSubmission();
  const hasOne = user?.password_set === true;
  const save = async (): Promise<void> => {
    if (hasOne) {
      const body = { current_password: current, password: next };
      await bodyOf(api.POST('/auth/change-password', { body }));
    } else await bodyOf(api.POST('/auth/set-password', { body: { password: next } }));
    if (user !== null) account.set({ ...user, password_set: true });
    setCurrent('');
    setNext('');
    outdate('sessions');
    say(hasOne ? t.changed : t.set);
  };
  return (
    <form
      class="card"
      aria-labelledby="password"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        submission.run(save);
      }}
    >
      <h2 id="password">{hasOne ? t.change : t.setFirst}</h2>
      {/* Password managers need the account name. */}
      <input
        class="unseen"
        type="email"
        autocomplete="username"
        value={user?.email}
        readOnly
        tabIndex={-1}
        aria-hidden="true"
      />
      {hasOne && (
        <Field
          label={t.current}
          name="current_password"
          type="password"
          autocomplete="current-password"
          value={current}
          change={setCurrent}
          failure={submission.failure}
        />
      )}
      <Field
        label={t.next}
        name="password"
        type="password"
        autocomplete="new-password"
        value={next}
        change={setNext}
        failure={submission.failure}
        hint={t.rule}
      />
      <FormProblem failure={submission.failure} shown={['password', 'current_password']} />
      <Submit
        label={hasOne ? t.change : t.setFirst}
        submission={submission}
        isDisabled={next === '' || (hasOne && current === '')}
      />
      {hasOne && <p class="hint">{t.effect}</p>}
    </form>
  );
}
