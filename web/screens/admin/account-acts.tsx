import { useState } from 'preact/hooks';
import { api, bodyOf, type Schemas } from '../../api/client';
import { account as accountStore } from '../../data/first-answer';
import { useStore } from '../../data/store';
import { count } from '../../format';
import { Field } from '../../parts/form';
import type { IconName } from '../../parts/icons';
import { MenuButton } from '../../parts/menu';
import { texts } from '../../texts';
import { ActDialog } from './act-dialog';
import { words } from './texts';

export type Account = Schemas['AdminAccountResponse'];
type Act = keyof typeof words.accounts.acts;

export interface ChosenAct {
  readonly act: Act;
  readonly account: Account;
}

const t = words.accounts;
/** Destructive actions, which require a reason. */
const GRAVE: readonly Act[] = ['suspend', 'delete'];
const ICONS: Readonly<Record<Act, IconName>> = {
  suspend: 'pause',
  unsuspend: 'play',
  admin: 'admin',
  user: 'account',
  end: 'lock',
  reset: 'keys',
  delete: 'trash',
};

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

interface MenuProps {
  readonly account: Account;
  readonly begin: (chosen: ChosenAct) => void;
}

export function AccountMenu({ account, begin }: MenuProps) {
  const acts = actsOf(account, useStore(accountStore)?.id === account.id);
  if (acts.length === 0) return null;
  return (
    <MenuButton
      label={texts.links.actionsOf(account.email)}
      items={() =>
        acts.map((act) => ({
          icon: ICONS[act],
          label: t.acts[act],
          do: () => begin({ act, account }),
          isBad: GRAVE.includes(act),
        }))
      }
    />
  );
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

export function AccountAct({ act, account, close }: ChosenAct & { close: () => void }) {
  const { email, links, clicks, sessions } = account;
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
      isBad={GRAVE.includes(act)}
      counts={
        <>
          {GRAVE.includes(act) && <li>{t.has(count(links), links, count(clicks), clicks)}</li>}
          {(act === 'end' || act === 'suspend') && (
            <li>{t.hasSessions(count(sessions), sessions)}</li>
          )}
        </>
      }
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
