import { useState } from 'preact/hooks';
import { api, bodyOf } from '../../api/client';
import { labelOf } from '../../data/domains';
import { useKept, useQuery } from '../../data/query';
import { count } from '../../format';
import { Clicks } from '../../parts/clicks';
import { Choice } from '../../parts/form';
import { LinkState } from '../../parts/link-state';
import { Ago } from '../../parts/time';
import { usePlace } from '../../router';
import { BlockHost } from './hosts';
import { type AdminLink, LinkAct, type LinkActName } from './link-act';
import { ListSearch, narrow, pageOf, TypedFilter } from './search';
import { ListPage } from './list-page';
import { words } from './texts';

const PAGE_SIZE = 25;
const STATES = ['ACTIVE', 'INACTIVE', 'EXPIRED', 'BLOCKED'] as const;
const t = words.links;

export function AdminLinks() {
  const { search } = usePlace();
  const [act, setAct] = useState<{ name: LinkActName; link: AdminLink } | null>(null);
  const [host, setHost] = useState<string | null>(null);
  const text = (name: string): string | undefined => search.get(name)?.slice(0, 500) || undefined;
  const query = {
    page: pageOf(search),
    pageSize: PAGE_SIZE,
    search: text('search'),
    host: text('host')?.slice(0, 253),
    owner: text('owner'),
    status: STATES.find((state) => state === search.get('status')),
  };
  const found = useQuery(`admin:links:${JSON.stringify(query)}`, () =>
    bodyOf(api.GET('/api/v1/admin/urls', { params: { query } })),
  );
  const shown = useKept(found.value);
  return (
    <>
      <header class="screen-head">
        <div>
          <h1 tabIndex={-1}>{words.screens.links}</h1>
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
        <TypedFilter name="host" label={t.host} hint={t.hostHint} />
        <TypedFilter name="owner" label={t.owner} hint={t.ownerHint} />
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
            <table class="list-table stacked">
              <caption class="unseen">{words.screens.links}</caption>
              <thead>
                <tr>
                  <th scope="col">{t.link}</th>
                  <th scope="col">{t.owner}</th>
                  <th scope="col">{words.state}</th>
                  <th scope="col" class="number">
                    {t.clicks}
                  </th>
                  <th scope="col">{t.made}</th>
                  <th scope="col">
                    <span class="unseen">{words.actions}</span>
                  </th>
                </tr>
              </thead>
              <tbody>
                {items.map((link) => (
                  <Row
                    key={link.id}
                    link={link}
                    begin={(name) => setAct({ name, link })}
                    blockHost={setHost}
                  />
                ))}
              </tbody>
            </table>
          </div>
        )}
      </ListPage>
      {act !== null && <LinkAct {...act} close={() => setAct(null)} />}
      {host !== null && <BlockHost host={host} close={() => setHost(null)} />}
    </>
  );
}

interface RowProps {
  readonly link: AdminLink;
  readonly begin: (act: LinkActName) => void;
  readonly blockHost: (host: string) => void;
}

function Row({ link, begin, blockHost }: RowProps) {
  const [host] = link.destination_hosts;
  const { blocked, owner } = link;
  const { open_reports: reports = 0, list_exempt: isExempt } = link as Partial<{
    open_reports: number;
    list_exempt: boolean;
  }>;
  return (
    <tr>
      <th scope="row">
        <bdi class="alias">{labelOf(link)}</bdi>
        <bdi class="destination">{link.long_url}</bdi>
        {link.destination_hosts.map((host) => (
          <button
            key={host}
            type="button"
            class="plain small host"
            title={t.withHost(host)}
            onClick={() => narrow({ host, search: null })}
          >
            {host}
          </button>
        ))}
        {blocked !== undefined && <span class="why">{t.blocked(blocked.reason)}</span>}
        {reports > 0 && <span class="why">{t.openReports(count(reports), reports)}</span>}
        {isExempt === true && <span class="hint">{t.exempt}</span>}
      </th>
      <td data-title={t.owner}>
        {owner === null ? (
          words.noAccount
        ) : (
          <button
            type="button"
            class="plain owner"
            title={t.withOwner(owner.email ?? owner.id)}
            onClick={() => narrow({ owner: owner.id, search: null })}
          >
            {owner.email ?? words.gone}
          </button>
        )}
      </td>
      <td data-title={words.state}>
        <LinkState link={link} />
      </td>
      <td data-title={t.clicks} class="number">
        <Clicks recorded={link.total_clicks} imported={link.imported_clicks} />
      </td>
      <td data-title={t.made}>
        <Ago at={new Date(link.created_at)} />
      </td>
      <td class="acts">
        <button
          type="button"
          class="quiet small"
          onClick={() => begin(blocked === undefined ? 'block' : 'unblock')}
        >
          {blocked === undefined ? t.block : t.unblock}
        </button>
        {host !== undefined && (
          <button type="button" class="quiet small" onClick={() => blockHost(host)}>
            {t.blockHost}
          </button>
        )}
        <button type="button" class="quiet bad small" onClick={() => begin('delete')}>
          {t.delete}
        </button>
      </td>
    </tr>
  );
}
