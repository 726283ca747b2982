import { useState } from 'preact/hooks';
import { api, bodyOf } from '../../api/client';
import { account, isLeaving } from '../../data/first-answer';
import { outdate } from '../../data/query';
import { useStore } from '../../data/store';
import { say } from '../../data/toasts';
import { Field } from '../../parts/form';
import { FormDialog } from '../../parts/form-dialog';
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
  const request = async (): Promise<false> => {
    const body = { email: email.trim(), ...proofOf(proof) };
    await bodyOf(api.POST('/auth/me/email', { body }));
    setRequested(body.email);
    return false;
  };
  const startAgain = (): void => {
    setRequested(null);
    setCode('');
  };
  const confirm = async (): Promise<void> => {
    const body = { code: code.replace(/\s/g, '') };
    const { user } = await bodyOf(api.POST('/auth/me/email/confirm', { body }));
    account.set(user);
    outdate('sessions');
    say(t.changed);
  };
  return (
    <FormDialog
      title={t.change}
      act={requested === null ? t.send : t.confirm}
      run={requested === null ? request : confirm}
      close={close}
      isDisabled={requested === null ? email.trim() === '' || !isProven(proof) : code.trim() === ''}
      shown={['email', 'password', 'code']}
    >
      {(failure) =>
        requested === null ? (
          <>
            <p>{t.effect}</p>
            <Field
              label={t.next}
              name="email"
              value={email}
              change={setEmail}
              failure={failure}
              autocomplete="email"
              autocapitalize="none"
              spellcheck={false}
              data-autofocus
            />
            <Proof purpose="email" draft={proof} change={setProof} failure={failure} />
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
              failure={failure}
            />
            <button type="button" class="quiet small" onClick={startAgain}>
              {t.back}
            </button>
          </>
        )
      }
    </FormDialog>
  );
}
