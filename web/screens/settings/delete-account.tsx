import { useState } from 'preact/hooks';
import { api, bodyOf } from '../../api/client';
import { account, isLeaving } from '../../data/first-answer';
import { useStore } from '../../data/store';
import { say } from '../../data/toasts';
import { Check, Field } from '../../parts/form';
import { FormDialog } from '../../parts/form-dialog';
import { isProven, NO_PROOF, Proof, proofOf } from '../../parts/proof';
import { texts } from '../../texts';

const t = texts.settings.deletion;

export function DeleteAccount() {
  const [isOpen, setOpen] = useState(false);
  const leaving = isLeaving(useStore(account));
  return (
    <section class="card" aria-labelledby="deletion">
      <h2 id="deletion">{t.title}</h2>
      <p class="hint">{t.hint}</p>
      <button type="button" class="quiet bad" disabled={leaving} onClick={() => setOpen(true)}>
        {t.title}
      </button>
      {isOpen && <DeletionDialog close={() => setOpen(false)} />}
    </section>
  );
}

function DeletionDialog({ close }: { close: () => void }) {
  const user = useStore(account);
  const [proof, setProof] = useState(NO_PROOF);
  const [closesLinks, setClosesLinks] = useState(false);
  const [isNow, setNow] = useState(false);
  const [typed, setTyped] = useState('');
  const isConfirmed = typed.trim().toLowerCase() === user?.email.toLowerCase();
  const remove = async (): Promise<boolean> => {
    const body = { ...proofOf(proof), close_links: closesLinks, now: isNow };
    const { deletes_at: deletesAt } = await bodyOf(api.POST('/auth/me/delete', { body }));
    if (isNow) {
      location.assign('/');
      return false;
    }
    if (user !== null) account.set({ ...user, deletes_at: deletesAt });
    say(t.requested);
    return true;
  };
  return (
    <FormDialog
      title={t.title}
      act={t.title}
      run={remove}
      close={close}
      isBad
      isDisabled={!isConfirmed || !isProven(proof, isNow)}
      shown={['password', 'code']}
    >
      {(failure) => (
        <>
          <p>{isNow ? t.effectNow : t.effect}</p>
          <Check label={t.closeLinks} checked={closesLinks} change={setClosesLinks} />
          <Check label={t.now} checked={isNow} change={setNow} hint={t.needsCode} />
          <Proof
            purpose="deletion"
            draft={proof}
            change={setProof}
            failure={failure}
            needsCode={isNow}
          />
          <Field
            label={t.confirm}
            name="email"
            value={typed}
            change={setTyped}
            autocomplete="off"
            autocapitalize="none"
            spellcheck={false}
          />
        </>
      )}
    </FormDialog>
  );
}
