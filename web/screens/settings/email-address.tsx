import { useState } from 'preact/hooks';
import { api, bodyOf } from '../../api/client';
import { account, isLeaving } from '../../data/first-answer';
import { outdate } from '../../data/query';
import { useStore } from '../../data/store';
import { say } from '../../data/toasts';
import { Dialog } from '../../parts/dialog';
import { Field, FormProblem, Submit, useSubmission } from '../../parts/form';
import { isProven, NO_PROOF, Proof, proofOf } from '../../parts/proof';
import { texts } from '../../texts';

const t = texts.settings.email;

export function EmailAddress() {
  const user = useStore(account);
  const [isOpen, setOpen] = useState(false);
  return (
    <section class="card" aria-labelledby="email-address">
      <h2 id="email-address">{t.title}</h2>
      <p class="hint">{user?.email}</p>
      <button type="button" class="quiet" disabled={isLeaving(user)} onClick={() => setOpen(true)}>
        {t.change}
      </button>
      {isOpen && <ChangeDialog close={() => setOpen(false)} />}
    </section>
  );
}

function ChangeDialog({ close }: { close: () => void }) {
  const [email, setEmail] = useState('');
  const [proof, setProof] = useState(NO_PROOF);
  const [requested, setRequested] = useState<string | null>(null);
  const [code, setCode] = useState('');
  const submission = useSubmission();
  const request = async (): Promise<void> => {
    const body = { email: email.trim(), ...proofOf(proof) };
    await bodyOf(api.POST('/auth/me/email', { body }));
    setRequested(body.email);
  };
  const confirm = async (): Promise<void> => {
    const body = { code: code.replace(/\s/g, '') };
    const { user } = await bodyOf(api.POST('/auth/me/email/confirm', { body }));
    account.set(user);
    outdate('sessions');
    say(t.changed);
    close();
  };
  return (
    <Dialog title={t.change} close={close}>
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          submission.run(requested === null ? request : confirm);
        }}
      >
        {requested === null ? (
          <>
            <p>{t.effect}</p>
            <Field
              label={t.next}
              name="email"
              value={email}
              change={setEmail}
              failure={submission.failure}
              autocomplete="email"
              autocapitalize="none"
              spellcheck={false}
              data-autofocus
            />
            <Proof purpose="email" draft={proof} change={setProof} failure={submission.failure} />
          </>
        ) : (
          <>
            <p>{t.codeSent(requested)}</p>
            <Field
              label={texts.proof.code}
              name="code"
              inputMode="numeric"
              autocomplete="one-time-code"
              value={code}
              change={setCode}
              failure={submission.failure}
            />
          </>
        )}
        <footer class="dialog-foot">
          <FormProblem failure={submission.failure} shown={['email', 'password', 'code']} />
          <Submit
            label={requested === null ? t.send : t.confirm}
            submission={submission}
            isDisabled={
              requested === null ? email.trim() === '' || !isProven(proof) : code.trim() === ''
            }
          />
        </footer>
      </form>
    </Dialog>
  );
}
