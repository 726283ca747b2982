import { api, bodyOf } from '../../api/client';
import { useKept, useQuery } from '../../data/query';
import { count, date } from '../../format';
import { Empty } from '../../parts/empty';
import { Choice } from '../../parts/form';
import { Icon } from '../../parts/icons';
import { Pager } from '../../parts/pager';
import { Problem } from '../../parts/problem';
import { Skeleton } from '../../parts/skeleton';
import { Ago } from '../../parts/time';
import { Link, usePlace } from '../../router';
import { type Account, AccountActs } from './account-acts';
import { narrow, pageOf, SearchBox, turnTo } from './search';
import { words } from './texts';

const PAGE_SIZE = 25;
const STATES = ['active', 'suspended', 'unverified', 'deleting'] as const;
const ROLES = ['user', 'admin'] as const;
const ORDERS = ['created_at', 'last_sign_in_at', 'links', 'clicks'] as const;
const t = words.accounts;

/** All accounts, searched, filtered and sorted by the address. */
export function Accounts() {
  const { search } = usePlace();
  const query = {
    page: pageOf(search),
    pageSize: PAGE_SIZE,
    search: search.get('search')?.slice(0, 500) || undefined,
    status: STATES.find((state) => state === search.get('state')),
    role: ROLES.find((role) => role === search.get('role')),
    sortBy: ORDERS.find((order) => order === search.get('sort')) ?? 'created_at',
  };
  const found = useQuery(`admin:accounts:${JSON.stringify(query)}`, () =>
    bodyOf(api.GET('/api/v1/admin/accounts', { params: { query } })),
  );
  const shown = useKept(found.value);
  return (
    <>
      <header class="screen-head">
        <div>
          <h1 tabIndex={-1}>{words.screens.accounts}</h1>
          <p class="lead" role="status">
            {shown === undefined ? '\u00a0' : t.total(count(shown.total), shown.total)}
          </p>
        </div>
      </header>
      <div class="toolbar">
        <SearchBox label={t.search} />
      </div>
      <div class="pair admin-filters">
        <Choice
          label={words.state}
          value={query.status ?? ''}
          options={[['', words.any], ...STATES.map((state) => [state, t.states[state]] as const)]}
          change={(state) => narrow({ state })}
        />
        <Choice
          label={t.role}
          value={query.role ?? ''}
          options={[['', words.any], ...ROLES.map((role) => [role, t.roles[role]] as const)]}
          change={(role) => narrow({ role })}
        />
        <Choice
          label={t.sort}
          value={query.sortBy}
          options={ORDERS.map((order) => [order, t.sorts[order]] as const)}
          change={(sort) => narrow({ sort: sort === 'created_at' ? null : sort })}
        />
      </div>
      <Problem failure={found.failure} retry={found.reload} />
      {shown === undefined && found.failure === null && <Skeleton rows={8} />}
      {shown?.items.length === 0 && <Empty icon="search" title={t.none} />}
      {shown !== undefined && shown.items.length > 0 && (
        <div class="table-card" aria-busy={found.value === undefined}>
          <table class="list-table stacked">
            <caption class="unseen">{words.screens.accounts}</caption>
            <thead>
              <tr>
                <th scope="col">{t.account}</th>
                <th scope="col">{words.state}</th>
                <th scope="col" class="number">
                  {t.links}
                </th>
                <th scope="col" class="number">
                  {t.clicks}
                </th>
                <th scope="col">{t.signIn}</th>
                <th scope="col">
                  <span class="unseen">{words.actions}</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {shown.items.map((account) => (
                <Row key={account.id} account={account} />
              ))}
            </tbody>
          </table>
        </div>
      )}
      {shown !== undefined && (
        <Pager page={query.page} pageSize={PAGE_SIZE} total={shown.total} turn={turnTo} />
      )}
    </>
  );
}

function Row({ account }: { account: Account }) {
  return (
    <tr>
      <th scope="row">
        <Link class="alias" to={`/admin/accounts/${account.id}`}>
          <bdi>{account.email}</bdi>
        </Link>
        {account.user_name !== null && <bdi class="destination">{account.user_name}</bdi>}
        {account.suspended !== null && (
          <span class="why">{t.suspendedFor(account.suspended.reason)}</span>
        )}
      </th>
      <td data-title={words.state}>
        <Standing account={account} />
      </td>
      <td data-title={t.links} class="number">
        {count(account.links)}
      </td>
      <td data-title={t.clicks} class="number">
        {count(account.clicks)}
      </td>
      <td data-title={t.signIn}>
        <SignIn at={account.last_sign_in_at} />
      </td>
      <td class="acts">
        <AccountActs account={account} />
      </td>
    </tr>
  );
}

const SignIn = ({ at }: { at: string | null }) =>
  at === null ? <span class="hint">{t.never}</span> : <Ago at={new Date(at)} />;

function Standing({ account }: { account: Account }) {
  const { suspended, deletes_at: deletesAt, email_verified: isVerified, role } = account;
  const state =
    deletesAt !== null
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

/** One account with all its figures. */
export function OneAccount({ id }: { id: string }) {
  const params = { path: { id } };
  const found = useQuery(`admin:account:${id}`, () =>
    bodyOf(api.GET('/api/v1/admin/accounts/{id}', { params })),
  );
  const account = found.value;
  return (
    <>
      <p class="crumb">
        <Link to="/admin/accounts">
          <Icon name="back" /> {t.all}
        </Link>
      </p>
      <h1 tabIndex={-1}>{account === undefined ? t.account : <bdi>{account.email}</bdi>}</h1>
      <Problem failure={found.failure} retry={found.reload} />
      {account === undefined && found.failure === null && <Skeleton rows={4} />}
      {account !== undefined && <Details account={account} />}
    </>
  );
}

function Details({ account }: { account: Account }) {
  const methods = [...(account.password_set ? [t.password] : []), ...account.auth_providers];
  const figures = [
    [t.links, count(account.links)],
    [t.clicks, count(account.clicks)],
    [t.keys, count(account.keys)],
    [t.sessions, count(account.sessions)],
    [t.made, date(new Date(account.created_at))],
    [t.methods, methods.join(', ') || words.none],
  ] as const;
  return (
    <>
      <p class="lead account-lead">
        {account.user_name !== null && <bdi>{account.user_name} </bdi>}
        <Standing account={account} />
      </p>
      {account.suspended !== null && (
        <p class="notice">{t.suspendedFor(account.suspended.reason)}</p>
      )}
      <section class="card">
        <dl class="figures">
          {figures.map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
          <div>
            <dt>{t.signIn}</dt>
            <dd>
              <SignIn at={account.last_sign_in_at} />
            </dd>
          </div>
        </dl>
        <div class="actions">
          <Link
            class="button quiet small"
            to="/admin/links"
            search={new URLSearchParams({ owner: account.id })}
          >
            {t.showLinks}
          </Link>
          <Link
            class="button quiet small"
            to="/admin/trail"
            search={new URLSearchParams({ subject: account.id })}
          >
            {t.showTrail}
          </Link>
          <AccountActs account={account} />
        </div>
      </section>
    </>
  );
}
