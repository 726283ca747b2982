import { useState } from 'preact/hooks';
import { api, bodyOf, type Schemas } from '../../api/client';
import { outdate, useQuery } from '../../data/query';
import { count } from '../../format';
import { usePlace } from '../../router';
import { texts } from '../../texts';
import { DomainName, DomainState } from '../domains/domains';
import { ActDialog } from './act-dialog';
import { AdminList, OwnerLink } from './admin-list';
import { ChoiceFilter, ListSearch, pageOf, textOf } from './search';
import { words } from './texts';

type AdminDomain = Schemas['AdminDomainResponse'];

const t = words.domains;
const { states } = texts.domains;
const STATES = Object.keys(states) as (keyof typeof states)[];

export function AdminDomains() {
  const { search } = usePlace();
  const [chosen, setChosen] = useState<AdminDomain | null>(null);
  const query = {
    ...pageOf(search),
    status: STATES.find((state) => state === search.get('status')),
    search: textOf(search),
  };
  const found = useQuery(`admin:domains:${JSON.stringify(query)}`, () =>
    bodyOf(api.GET('/api/v1/admin/domains', { params: { query } })),
  );
  return (
    <>
      <AdminList
        title={words.screens.domains}
        lead={t.lead}
        filters={
          <>
            <div class="toolbar">
              <ListSearch label={t.search} />
            </div>
            <div class="pair admin-filters">
              <ChoiceFilter name="status" label={t.state} options={states} />
            </div>
          </>
        }
        found={found}
        page={query.page}
        none={{ icon: 'domains', title: t.none }}
        keyOf={({ id }) => id}
        columns={[
          { title: t.domain, cell: (domain) => <Named domain={domain} /> },
          { title: t.owner, cell: ({ owner }) => <OwnerLink owner={owner} /> },
          { title: t.state, cell: (domain) => <DomainState domain={domain} /> },
          { title: t.links, isNumber: true, cell: ({ links }) => count(links) },
        ]}
        acts={(domain) =>
          (domain.shared || domain.status === 'active') && (
            <button type="button" class="quiet small" onClick={() => setChosen(domain)}>
              {t.acts[domain.shared ? 'stop' : 'share']}
            </button>
          )
        }
      />
      {chosen !== null && <ShareDomain domain={chosen} close={() => setChosen(null)} />}
    </>
  );
}

function Named({ domain: { fqdn, shared } }: { domain: AdminDomain }) {
  return (
    <>
      <DomainName fqdn={fqdn} />
      {shared && <span class="hint"> {t.isShared}</span>}
    </>
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
