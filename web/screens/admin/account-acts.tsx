import { useState } from 'preact/hooks';
import { api, bodyOf, type Schemas } from '../../api/client';
import { account as accountStore } from '../../data/first-answer';
import { useStore } from '../../data/store';
import { ActDialog } from './act-dialog';
import { words } from './texts';

export type Account = Schemas['AdminAccountResponse'];
type Act = Exclude<keyof typeof words.accounts.acts, 'delete'>;

const t = words.accounts;
/** Acts that take something away, and need a reason. */
const GRAVE: readonly Act[] = ['suspend'];

/** Acts that the API carries out and that change something. */
function actsOf(account: Account, isOwn: boolean): readonly Act[] {
  const { suspended, role, sessions } = account;
  const isAsked: Readonly<Record<Act, boolean>> = {
    suspend: suspended === null && !isOwn,
    unsuspend: suspended !== null,
    admin: role !== 'admin' && account.email_verified,
    user: role === 'admin',
    end: sessions > 0,
    reset: account.password_set && suspended === null,
  };
  return (Object.keys(isAsked) as Act[]).filter((act) => isAsked[act]);
}

/** Buttons of the acts on an account. */
export function AccountActs({ account }: { account: Account }) {
  const [act, setAct] = useState<Act | null>(null);
  const isOwn = useStore(accountStore)?.id === account.id;
  return (
    <>
      {actsOf(account, isOwn).map((each) => (
        <button
          key={each}
          type="button"
          class={`quiet small${GRAVE.includes(each) ? ' bad' : ''}`}
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
  const { email } = account;
  return (
    <ActDialog
      title={t.titles[act](email)}
      act={t.acts[act]}
      hint={t.hints[act]}
      takesReason={GRAVE.includes(act) ? 'must' : act === 'unsuspend' ? 'may' : 'none'}
      run={(reason) => carryOut(act, account.id, reason)}
      done={t.done[act](email)}
      close={close}
    />
  );
}

async function carryOut(act: Act, id: string, reason: string): Promise<void> {
  const params = { path: { id } };
  const optional = reason === '' ? {} : { reason };
  const setRole = (role: 'admin' | 'user') =>
    bodyOf(api.PUT('/api/v1/admin/accounts/{id}/role', { params, body: { role } }));
  const acts: Readonly<Record<Act, () => Promise<unknown>>> = {
    suspend: () =>
      bodyOf(api.POST('/api/v1/admin/accounts/{id}/suspend', { params, body: { reason } })),
    unsuspend: () =>
      bodyOf(api.POST('/api/v1/admin/accounts/{id}/unsuspend', { params, body: optional })),
    admin: () => setRole('admin'),
    user: () => setRole('user'),
    end: () => bodyOf(api.POST('/api/v1/admin/accounts/{id}/end-sessions', { params })),
    reset: () => bodyOf(api.POST('/api/v1/admin/accounts/{id}/password-reset', { params })),
  };
  await acts[act]();
}
