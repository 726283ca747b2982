import type { ComponentChildren } from 'preact';
import { api, bodyOf } from '../../api/client';
import { account as accountStore } from '../../data/first-answer';
import { useQuery } from '../../data/query';
import { useStore } from '../../data/store';
import { count, dateTime } from '../../format';
import { Clicks } from '../../parts/clicks';
import { Icon } from '../../parts/icons';
import { Loading } from '../../parts/skeleton';
import { Ago } from '../../parts/time';
import { Link } from '../../router';
import { type Account, AccountActs, isGoing } from './account-acts';
import { words } from './texts';

/** Poll interval while a job deletes the account. */
const ASK_EVERY_MS = 10_000;
const t = words.accounts;

/** @param id null for no request */
export const useAccount = (id: string | null) =>
  useQuery(
    id === null ? null : `admin:account:${id}`,
    () => bodyOf(api.GET('/api/v1/admin/accounts/{id}', { params: { path: { id: id ?? '' } } })),
    { everyMs: ASK_EVERY_MS },
  );

export function OneAccount({ id }: { id: string }) {
  const found = useAccount(id);
  const account = found.failure?.status === 404 ? undefined : found.value;
  return (
    <>
      <p class="crumb">
        <Link to="/admin/accounts">
          <Icon name="back" /> {t.all}
        </Link>
      </p>
      <header class="screen-head account-head">
        <div>
          <h1 tabIndex={-1}>{account === undefined ? t.account : <bdi>{account.email}</bdi>}</h1>
          {account !== undefined && (
            <p class="lead">
              <Standing account={account} />
              {account.user_name !== null && <bdi>{account.user_name}</bdi>}
            </p>
          )}
        </div>
      </header>
      <Loading found={found} rows={4} />
      {account !== undefined && <Details account={account} />}
    </>
  );
}

function Details({ account }: { account: Account }) {
  const isOwn = useStore(accountStore)?.id === account.id;
  const methods = [...(account.password_set ? [t.password] : []), ...account.auth_providers];
  const figures: readonly (readonly [string, ComponentChildren])[] = [
    [t.links, count(account.links)],
    [t.clicks, <Clicks recorded={account.clicks} imported={account.imported_clicks} />],
    [t.keys, count(account.keys)],
    [t.sessions, count(account.sessions)],
    [t.signIn, <SignIn at={account.last_sign_in_at} />],
    [t.made, dateTime(new Date(account.created_at))],
    [t.methods, methods.join(', ') || words.none],
  ];
  return (
    <>
      {account.suspended !== null && <Suspension suspended={account.suspended} />}
      {account.deletes_at !== null && (
        <p class="notice">{t.deletesAt(dateTime(new Date(account.deletes_at)))}</p>
      )}
      <section class="card">
        <dl class="figures">
          {figures.map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
        <ul class="account-ways">
          <li>
            <Link to="/admin/links" search={new URLSearchParams({ owner: account.id })}>
              {t.showLinks}
            </Link>
          </li>
          <li>
            <Link to="/admin/trail" search={new URLSearchParams({ subject: account.id })}>
              {t.showTrail}
            </Link>
          </li>
          <li>
            <Link to="/admin/trail" search={new URLSearchParams({ actor: account.id })}>
              {t.showActs}
            </Link>
          </li>
        </ul>
      </section>
      {!isGoing(account) && (
        <section class="card">
          <h2>{words.actions}</h2>
          {isOwn && <p class="hint">{t.own}</p>}
          <div class="actions">
            <AccountActs account={account} />
          </div>
        </section>
      )}
    </>
  );
}

function Suspension({ suspended }: { suspended: NonNullable<Account['suspended']> }) {
  const { by, at, reason } = suspended;
  const admin = useAccount(by);
  return (
    <div class="notice">
      <p>
        {t.suspendedFor('')}
        <bdi>{reason}</bdi>
      </p>
      <p>
        {t.suspendedBy}{' '}
        {by === null ? (
          t.command
        ) : admin.failure?.status === 404 ? (
          words.gone
        ) : (
          <Link to={`/admin/accounts/${by}`}>{admin.value?.email ?? by}</Link>
        )}
        , {dateTime(new Date(at))}
      </p>
    </div>
  );
}

export const SignIn = ({ at }: { at: string | null }) =>
  at === null ? <span class="hint">{t.never}</span> : <Ago at={new Date(at)} />;

export function Standing({ account }: { account: Account }) {
  const { suspended, email_verified: isVerified, role } = account;
  const state = isGoing(account)
    ? 'deleting'
    : suspended !== null
      ? 'suspended'
      : isVerified
        ? 'active'
        : 'unverified';
  return (
    <>
      <span class={`state ${state === 'active' ? 'active' : 'inactive'}`}>{t.states[state]}</span>
      {role === 'admin' && <span class="state scheduled">{t.roles.admin}</span>}
    </>
  );
}
