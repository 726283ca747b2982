import { useState } from 'preact/hooks';
import { api, bodyOf, type Schemas } from '../../api/client';
import { outdate, useKept, useQuery } from '../../data/query';
import { count } from '../../format';
import { Choice } from '../../parts/form';
import { Link, usePlace } from '../../router';
import { texts } from '../../texts';
import { DomainName, DomainState } from '../domains/domains';
import { ActDialog } from './act-dialog';
import { ListPage } from './list-page';
import { ListSearch, narrow, pageOf } from './search';
import { words } from './texts';

type AdminDomain = Schemas['AdminDomainResponse'];

const PAGE_SIZE = 25;
const t = words.domains;
const { states } = texts.domains;
const STATES = Object.keys(states) as (keyof typeof states)[];

export function AdminDomains() {
  const { search } = usePlace();
  const [chosen, setChosen] = useState<AdminDomain | null>(null);
  const text = search.get('search')?.slice(0, 253) ?? '';
  const query = {
    page: pageOf(search),
    pageSize: PAGE_SIZE,
    status: STATES.find((state) => state === search.get('status')),
    ...(text !== '' && { search: text }),
  };
  const found = useQuery(`admin:domains:${JSON.stringify(query)}`, () =>
    bodyOf(api.GET('/api/v1/admin/domains', { params: { query } })),
  );
  const shown = useKept(found.value);
  return (
    <>
      <header class="screen-head">
        <div>
          <h1 tabIndex={-1}>{words.screens.domains}</h1>
          <p class="lead">{t.lead}</p>
        </div>
      </header>
      <div class="toolbar">
        <ListSearch label={t.search} />
      </div>
      <div class="pair admin-filters">
        <Choice
          label={t.state}
          value={query.status ?? ''}
          options={[['', words.any], ...STATES.map((each) => [each, states[each]] as const)]}
          change={(status) => narrow({ status })}
        />
      </div>
      <ListPage
        found={found}
        shown={shown}
        page={query.page}
        rows={6}
        none={{ icon: 'domains', title: t.none }}
      >
        {(items) => (
          <div class="table-card" aria-busy={found.value === undefined}>
            <table class="list-table stacked">
              <caption class="unseen">{words.screens.domains}</caption>
              <thead>
                <tr>
                  <th scope="col">{t.domain}</th>
                  <th scope="col">{t.owner}</th>
                  <th scope="col">{t.state}</th>
                  <th scope="col" class="number">
                    {t.links}
                  </th>
                  <th scope="col">{words.actions}</th>
                </tr>
              </thead>
              <tbody>
                {items.map((domain) => (
                  <Row key={domain.id} domain={domain} choose={() => setChosen(domain)} />
                ))}
              </tbody>
            </table>
          </div>
        )}
      </ListPage>
      {chosen !== null && <ShareDomain domain={chosen} close={() => setChosen(null)} />}
    </>
  );
}

function Row({ domain, choose }: { domain: AdminDomain; choose: () => void }) {
  const { fqdn, owner, shared, status } = domain;
  return (
    <tr>
      <th scope="row">
        <DomainName fqdn={fqdn} />
        {shared && <span class="hint"> {t.isShared}</span>}
      </th>
      <td data-title={t.owner}>
        {owner === null ? (
          words.gone
        ) : (
          <Link to={`/admin/accounts/${owner.id}`}>
            <bdi>{owner.email ?? words.gone}</bdi>
          </Link>
        )}
      </td>
      <td data-title={t.state}>
        <DomainState domain={domain} />
      </td>
      <td data-title={t.links} class="number">
        {count(domain.links)}
      </td>
      <td data-title={words.actions}>
        {shared || status === 'active' ? (
          <button type="button" class="quiet small" onClick={choose}>
            {t.acts[shared ? 'stop' : 'share']}
          </button>
        ) : (
          <span class="hint">{words.none}</span>
        )}
      </td>
    </tr>
  );
}

function ShareDomain({ domain, close }: { domain: AdminDomain; close: () => void }) {
  const { id, fqdn, shared, links_of_others: others } = domain;
  const act = shared ? 'stop' : 'share';
  const run = async (reason: string): Promise<void> => {
    const body = { shared: !shared, ...(reason !== '' && { reason }) };
    await bodyOf(api.PUT('/api/v1/admin/domains/{id}/shared', { params: { path: { id } }, body }));
    outdate('domains');
  };
  return (
    <ActDialog
      title={t.titles[act](fqdn)}
      act={t.acts[act]}
      hint={t.hints[act]}
      run={run}
      done={t.done[act](fqdn)}
      close={close}
    >
      <p>{t.others(count(others), others)}</p>
    </ActDialog>
  );
}
