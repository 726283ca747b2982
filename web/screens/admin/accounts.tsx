import { api, bodyOf } from '../../api/client';
import { useKept, useQuery } from '../../data/query';
import { count } from '../../format';
import { Clicks } from '../../parts/clicks';
import { Choice } from '../../parts/form';
import { Link, usePlace } from '../../router';
import { type Account, AccountActs } from './account-acts';
import { SignIn, Standing } from './one-account';
import { ListSearch, narrow, pageOf } from './search';
import { ListPage } from './list-page';
import { words } from './texts';

const PAGE_SIZE = 25;
const STATES = ['active', 'suspended', 'unverified', 'deleting'] as const;
const ROLES = ['user', 'admin'] as const;
const SORTS = ['created_at', 'last_sign_in_at', 'links', 'clicks'] as const;
const ORDERS = ['descending', 'ascending'] as const;
const t = words.accounts;

export function Accounts() {
  const { search } = usePlace();
  const query = {
    page: pageOf(search),
    pageSize: PAGE_SIZE,
    search: search.get('search')?.slice(0, 500) || undefined,
    status: STATES.find((state) => state === search.get('status')),
    role: ROLES.find((role) => role === search.get('role')),
    sortBy: SORTS.find((sort) => sort === search.get('sortBy')) ?? 'created_at',
    sortOrder: ORDERS.find((order) => order === search.get('sortOrder')) ?? 'descending',
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
        <ListSearch label={t.search} />
      </div>
      <div class="pair admin-filters">
        <Choice
          label={words.state}
          value={query.status ?? ''}
          options={[['', words.any], ...STATES.map((state) => [state, t.states[state]] as const)]}
          change={(status) => narrow({ status })}
        />
        <Choice
          label={t.role}
          value={query.role ?? ''}
          options={[['', words.any], ...ROLES.map((role) => [role, t.roles[role]] as const)]}
          change={(role) => narrow({ role })}
        />
        <Choice
          label={t.sort}
          value={`${query.sortBy} ${query.sortOrder}`}
          options={SORTS.flatMap((by) =>
            ORDERS.map((order) => [`${by} ${order}`, t.sorts[by][order]] as const),
          )}
          change={sort}
        />
      </div>
      <ListPage
        found={found}
        shown={shown}
        page={query.page}
        rows={8}
        none={{ icon: 'search', title: t.none }}
      >
        {(items) => (
          <div class="table-card" aria-busy={found.value === undefined}>
            <table class="list-table stacked accounts">
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
                {items.map((account) => (
                  <Row key={account.id} account={account} />
                ))}
              </tbody>
            </table>
          </div>
        )}
      </ListPage>
    </>
  );
}

/** Omits defaults from the address. @param chosen such as `links ascending` */
function sort(chosen: string): void {
  const [by = '', order = ''] = chosen.split(' ');
  narrow({
    sortBy: by === 'created_at' ? null : by,
    sortOrder: order === 'descending' ? null : order,
  });
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
        <Clicks recorded={account.clicks} imported={account.imported_clicks} />
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
