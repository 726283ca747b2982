import { useState } from 'preact/hooks';
import { api, bodyOf, type Schemas } from '../../api/client';
import { account as accountStore } from '../../data/first-answer';
import { useStore } from '../../data/store';
import { Field } from '../../parts/form';
import { ActDialog } from './act-dialog';
import { words } from './texts';

export type Account = Schemas['AdminAccountResponse'];
type Act = keyof typeof words.accounts.acts;

const t = words.accounts;
/** Destructive actions, which require a reason. */
const GRAVE: readonly Act[] = ['suspend', 'delete'];

/** Whether the deletion has begun. Until then, the owner can restore the account. */
export function isGoing({ deletes_at: at }: Account): boolean {
  return at !== null && new Date(at).getTime() <= Date.now();
}

/** Returns the actions that the API allows and that would change the account. */
function actsOf(account: Account, isOwn: boolean): readonly Act[] {
  const { suspended, role, sessions } = account;
  if (isGoing(account)) return [];
  const isOffered: Readonly<Record<Act, boolean>> = {
    suspend: suspended === null && !isOwn,
    unsuspend: suspended !== null,
    admin: role !== 'admin' && account.email_verified,
    user: role === 'admin',
    end: sessions > 0,
    reset: account.password_set && suspended === null,
    delete: !isOwn,
  };
  return (Object.keys(isOffered) as Act[]).filter((act) => isOffered[act]);
}

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
  const [typed, setTyped] = useState('');
  return (
    <ActDialog
      title={t.titles[act](email)}
      act={t.acts[act]}
      hint={t.hints[act]}
      takesReason={GRAVE.includes(act) ? 'must' : act === 'unsuspend' ? 'may' : 'none'}
      run={(reason) => carryOut(act, account.id, reason, typed.trim())}
      done={t.done[act](email)}
      close={close}
      isBad={act === 'delete'}
      isComplete={act !== 'delete' || isSameAddress(typed, email)}
    >
      {act === 'delete' && (
        <Field
          label={t.confirm}
          name="email"
          value={typed}
          change={setTyped}
          autocomplete="off"
          autocapitalize="none"
          spellcheck={false}
        />
      )}
    </ActDialog>
  );
}

function isSameAddress(typed: string, email: string): boolean {
  return typed.trim().toLowerCase() === email.toLowerCase();
}

/** @param email typed to confirm a deletion */
async function carryOut(act: Act, id: string, reason: string, email: string): Promise<void> {
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
    delete: () =>
      bodyOf(api.POST('/api/v1/admin/accounts/{id}/delete', { params, body: { email, reason } })),
  };
  await acts[act]();
}
