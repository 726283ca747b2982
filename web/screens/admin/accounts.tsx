import { useState } from 'preact/hooks';
import { api, bodyOf } from '../../api/client';
import { useQuery } from '../../data/query';
import { count } from '../../format';
import { Clicks } from '../../parts/clicks';
import { Choice } from '../../parts/form';
import { Link, usePlace } from '../../router';
import { type Account, AccountAct, AccountMenu, type ChosenAct } from './account-acts';
import { AdminList } from './admin-list';
import { SignIn, Standing } from './one-account';
import { ChoiceFilter, ListSearch, narrow, pageOf, textOf } from './search';
import { words } from './texts';

const STATES = ['active', 'suspended', 'unverified', 'deleting'] as const;
const ROLES = ['user', 'admin'] as const;
const SORTS = ['created_at', 'last_sign_in_at', 'links', 'clicks'] as const;
const ORDERS = ['descending', 'ascending'] as const;
const t = words.accounts;

export function Accounts() {
  const { search } = usePlace();
  const [act, setAct] = useState<ChosenAct | null>(null);
  const query = {
    ...pageOf(search),
    search: textOf(search),
    status: STATES.find((state) => state === search.get('status')),
    role: ROLES.find((role) => role === search.get('role')),
    sortBy: SORTS.find((sort) => sort === search.get('sortBy')) ?? 'created_at',
    sortOrder: ORDERS.find((order) => order === search.get('sortOrder')) ?? 'descending',
  };
  const found = useQuery(`admin:accounts:${JSON.stringify(query)}`, () =>
    bodyOf(api.GET('/api/v1/admin/accounts', { params: { query } })),
  );
  return (
    <>
      <AdminList
        title={words.screens.accounts}
        lead={t.total}
        filters={
          <>
            <div class="toolbar">
              <ListSearch label={t.search} />
            </div>
            <div class="pair admin-filters">
              <ChoiceFilter name="status" label={words.state} options={t.states} />
              <ChoiceFilter name="role" label={t.role} options={t.roles} />
              <Choice
                label={t.sort}
                value={`${query.sortBy} ${query.sortOrder}`}
                options={SORTS.flatMap((by) =>
                  ORDERS.map((order) => [`${by} ${order}`, t.sorts[by][order]] as const),
                )}
                change={sort}
              />
            </div>
          </>
        }
        found={found}
        page={query.page}
        none={{ icon: 'search', title: t.none }}
        keyOf={({ id }) => id}
        columns={[
          { title: t.account, cell: (account) => <Named account={account} /> },
          { title: words.state, cell: (account) => <Standing account={account} /> },
          { title: t.links, isNumber: true, cell: ({ links }) => count(links) },
          {
            title: t.clicks,
            isNumber: true,
            cell: (account) => (
              <Clicks recorded={account.clicks} imported={account.imported_clicks} />
            ),
          },
          { title: t.signIn, cell: ({ last_sign_in_at: at }) => <SignIn at={at} /> },
        ]}
        acts={(account) => <AccountMenu account={account} begin={setAct} />}
      />
      {act !== null && <AccountAct {...act} close={() => setAct(null)} />}
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

function Named({ account }: { account: Account }) {
  return (
    <>
      <Link class="alias" to={`/admin/accounts/${account.id}`}>
        <bdi>{account.email}</bdi>
      </Link>
      {account.user_name !== null && <bdi class="destination">{account.user_name}</bdi>}
      {account.suspended !== null && (
        <span class="why">{t.suspendedFor(account.suspended.reason)}</span>
      )}
    </>
  );
}
