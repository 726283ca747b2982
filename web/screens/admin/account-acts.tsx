import { useState } from 'preact/hooks';
import { api, bodyOf, type Schemas } from '../../api/client';
import { Failure } from '../../api/failure';
import { Field } from '../../parts/form';
import { ActDialog } from './act-dialog';
import { words } from './texts';

export type Account = Schemas['AdminAccountResponse'];
type Act = keyof typeof words.accounts.acts;

const t = words.accounts;

/** Acts on an account, as far as they change something. */
function actsOf({ suspended, role, sessions, deletes_at: deletesAt }: Account): readonly Act[] {
  if (deletesAt !== null) return [];
  return [
    suspended === null ? 'suspend' : 'unsuspend',
    role === 'admin' ? 'user' : 'admin',
    ...(sessions > 0 ? (['end'] as const) : []),
    'reset',
    'delete',
  ];
}

export function AccountActs({ account }: { account: Account }) {
  const [act, setAct] = useState<Act | null>(null);
  return (
    <>
      {actsOf(account).map((each) => (
        <button
          key={each}
          type="button"
          class={each === 'delete' || each === 'suspend' ? 'quiet bad small' : 'quiet small'}
          onClick={() => setAct(each)}
        >
          {t.acts[each]}
        </button>
      ))}
      {act !== null && <AccountAct act={act} account={account} close={() => setAct(null)} />}
    </>
  );
}

function AccountAct({ act, account, close }: { act: Act; account: Account; close: () => void }) {
  const { id, email } = account;
  const [typed, setTyped] = useState('');
  const [failure, setFailure] = useState<Failure | null>(null);
  const params = { path: { id } };
  const run = async (reason: string): Promise<void> => {
    const optional = reason === '' ? {} : { reason };
    const role = { params, body: { role: act === 'admin' ? 'admin' : 'user' } } as const;
    const acts: Record<Act, () => Promise<unknown>> = {
      suspend: () =>
        bodyOf(api.POST('/api/v1/admin/accounts/{id}/suspend', { params, body: { reason } })),
      unsuspend: () =>
        bodyOf(api.POST('/api/v1/admin/accounts/{id}/unsuspend', { params, body: optional })),
      admin: () => bodyOf(api.PUT('/api/v1/admin/accounts/{id}/role', role)),
      user: () => bodyOf(api.PUT('/api/v1/admin/accounts/{id}/role', role)),
      end: () => bodyOf(api.POST('/api/v1/admin/accounts/{id}/end-sessions', { params })),
      reset: () => bodyOf(api.POST('/api/v1/admin/accounts/{id}/password-reset', { params })),
      delete: () => {
        const refused = typed.trim() === email ? null : Failure.ofFields({ email: t.notSame });
        setFailure(refused);
        if (refused !== null) throw refused;
        return bodyOf(
          api.POST('/api/v1/admin/accounts/{id}/delete', { params, body: { email, reason } }),
        );
      },
    };
    await acts[act]();
  };
  return (
    <ActDialog
      title={t.titles[act](email)}
      act={t.acts[act]}
      hint={t.hints[act]}
      takesReason={
        act === 'suspend' || act === 'delete' ? 'must' : act === 'unsuspend' ? 'may' : 'none'
      }
      run={run}
      done={t.done[act](email)}
      close={close}
      fields={['email']}
    >
      {act === 'delete' && (
        <Field
          label={t.confirm}
          name="email"
          value={typed}
          change={setTyped}
          failure={failure}
          autocomplete="off"
          autocapitalize="none"
          spellcheck={false}
        />
      )}
    </ActDialog>
  );
}
