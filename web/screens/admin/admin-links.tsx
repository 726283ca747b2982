import { useEffect, useState } from 'preact/hooks';
import { api, bodyOf } from '../../api/client';
import { labelOf } from '../../data/domains';
import { useQuery } from '../../data/query';
import { NOTHING, type Selection, shareOf, toggled, withLinks } from '../../data/selection';
import { count, partsOf } from '../../format';
import { Clicks } from '../../parts/clicks';
import { FailedLinks } from '../../parts/failed-links';
import { Icon } from '../../parts/icons';
import { LinkState } from '../../parts/link-state';
import { MenuButton, type MenuItem } from '../../parts/menu';
import { Ago } from '../../parts/time';
import { addressOf, go, usePlace } from '../../router';
import { texts } from '../../texts';
import { AdminList } from './admin-list';
import { BlockHost } from './hosts';
import { type AdminLink, LinkAct, type LinkActName } from './link-act';
import { ChoiceFilter, ListSearch, narrow, pageOf, textOf, TypedFilter } from './search';
import { words } from './texts';

const STATES = ['ACTIVE', 'INACTIVE', 'EXPIRED', 'BLOCKED'] as const;
/** Longer paths are collapsed. */
const MAX_PATH = 60;
const t = words.links;

/** `keep` is set if the action applies to the selection. */
interface Act {
  readonly name: LinkActName;
  readonly links: readonly AdminLink[];
  readonly keep?: (failed: Selection) => void;
}

export function AdminLinks() {
  const { search } = usePlace();
  const [act, setAct] = useState<Act | null>(null);
  const [host, setHost] = useState<string | null>(null);
  const [selected, select] = useState(NOTHING);
  const filter = {
    search: textOf(search, 'search', 500),
    host: textOf(search, 'host'),
    owner: textOf(search, 'owner'),
    status: STATES.find((state) => state === search.get('status')),
  };
  const query = { ...pageOf(search), ...filter };
  const found = useQuery(`admin:links:${JSON.stringify(query)}`, () =>
    bodyOf(api.GET('/api/v1/admin/urls', { params: { query } })),
  );
  useEffect(() => () => select(NOTHING), [JSON.stringify(filter)]);
  return (
    <>
      <AdminList
        title={words.screens.links}
        lead={t.total}
        filters={
          <>
            <div class="toolbar">
              <ListSearch label={t.search} />
            </div>
            <div class="pair admin-filters">
              <ChoiceFilter name="status" label={words.state} options={t.states} />
              <TypedFilter name="host" label={t.host} hint={t.hostHint} />
              <TypedFilter name="owner" label={t.owner} hint={t.ownerHint} />
            </div>
          </>
        }
        found={found}
        page={query.page}
        none={{ icon: 'search', title: t.none }}
        keyOf={({ id }) => id}
        boxesOf={(items) => boxesOf(selected, items, select)}
        columns={[
          { title: t.link, cell: (link) => <Named link={link} /> },
          { title: words.state, cell: (link) => <LinkState link={link} /> },
          {
            title: t.clicks,
            isNumber: true,
            cell: (link) => <Clicks recorded={link.total_clicks} imported={link.imported_clicks} />,
          },
          { title: t.made, cell: (link) => <Ago at={new Date(link.created_at)} /> },
        ]}
        acts={(link) => (
          <MenuButton
            label={texts.links.actionsOf(labelOf(link))}
            items={() => itemsOf(link, (name) => setAct({ name, links: [link] }), setHost)}
          />
        )}
      />
      {selected.links.size > 0 && (
        <SelectedLinks
          selected={selected}
          select={select}
          begin={(name) =>
            setAct({ name, links: [...selected.links.values()] as AdminLink[], keep: select })
          }
        />
      )}
      {act !== null && <LinkAct {...act} close={() => setAct(null)} />}
      {host !== null && <BlockHost host={host} close={() => setHost(null)} />}
    </>
  );
}

function boxesOf(
  selected: Selection,
  items: readonly AdminLink[],
  select: (selection: Selection) => void,
) {
  const share = shareOf(selected, items);
  return {
    head: (
      <input
        type="checkbox"
        aria-label={texts.selection.page}
        title={texts.selection.page}
        checked={share === 'all'}
        indeterminate={share === 'some'}
        onChange={() => select(withLinks(selected, items, share !== 'all'))}
      />
    ),
    isChosen: ({ id }: AdminLink) => selected.links.has(id),
    cell: (link: AdminLink) => (
      <input
        type="checkbox"
        aria-label={texts.selection.link(labelOf(link))}
        checked={selected.links.has(link.id)}
        onClick={({ currentTarget, shiftKey: extendsRange }) => {
          const isChosen = currentTarget.checked;
          select(toggled(selected, items, link.id, { isChosen, extendsRange }));
        }}
      />
    ),
  };
}

function itemsOf(
  link: AdminLink,
  begin: (name: LinkActName) => void,
  blockHost: (host: string) => void,
): MenuItem[] {
  const { owner, blocked } = link;
  const change = blocked === undefined ? 'block' : 'unblock';
  const leadTo = (path: string, search?: URLSearchParams) => ({
    href: addressOf(path, search),
    do: () => go(path, search),
  });
  return [
    { icon: change === 'block' ? 'pause' : 'play', label: t[change], do: () => begin(change) },
    ...link.destination_hosts.map(
      (host) => ({ icon: 'domains', label: t.blockHost(host), do: () => blockHost(host) }) as const,
    ),
    ...(owner === null
      ? []
      : [
          {
            icon: 'account',
            label: t.showOwner,
            ...leadTo(`/admin/accounts/${owner.id}`),
          } as const,
        ]),
    {
      icon: 'list',
      label: t.showTrail,
      ...leadTo('/admin/trail', new URLSearchParams({ subject: link.id })),
    },
    { icon: 'trash', label: t.delete, do: () => begin('delete'), isBad: true },
  ];
}

/** Shows the link and its destinations as text, so that admins do not open them accidentally. */
function Named({ link }: { link: AdminLink }) {
  const { blocked, open_reports: reports } = link;
  const { rest } = partsOf(link.long_url);
  return (
    <>
      <bdi class="alias">{labelOf(link)}</bdi>
      <span class="destination">
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
        {rest.length > MAX_PATH ? (
          <details>
            <summary>
              <bdi>{rest.slice(0, MAX_PATH)}…</bdi>
            </summary>
            <bdi>{link.long_url}</bdi>
          </details>
        ) : (
          <bdi>{rest}</bdi>
        )}
      </span>
      <Owner link={link} />
      {blocked !== undefined && <span class="why">{t.blocked(blocked.reason)}</span>}
      {reports > 0 && <span class="why">{t.openReports(count(reports), reports)}</span>}
      {link.list_exempt && <span class="hint">{t.exempt}</span>}
    </>
  );
}

function Owner({ link: { owner } }: { link: AdminLink }) {
  return (
    <span class="hint">
      {owner === null ? (
        words.noAccount
      ) : (
        <>
          {t.owner}:{' '}
          <button
            type="button"
            class="plain small host"
            title={t.withOwner(owner.email ?? owner.id)}
            onClick={() => narrow({ owner: owner.id, search: null })}
          >
            {owner.email ?? words.gone}
          </button>
        </>
      )}
    </span>
  );
}

interface SelectedProps {
  readonly selected: Selection;
  readonly select: (selection: Selection) => void;
  readonly begin: (act: LinkActName) => void;
}

function SelectedLinks({ selected, select, begin }: SelectedProps) {
  const { title, count: number, clear } = texts.selection;
  return (
    <section class="selection" aria-label={title}>
      <div>
        <strong role="status">{number(count(selected.links.size))}</strong>
        <button type="button" class="quiet small" onClick={() => begin('block')}>
          <Icon name="pause" /> {t.block}
        </button>
        <button type="button" class="quiet small" onClick={() => begin('unblock')}>
          <Icon name="play" /> {t.unblock}
        </button>
        <button type="button" class="quiet bad small" onClick={() => begin('delete')}>
          <Icon name="trash" /> {t.delete}
        </button>
        <button
          type="button"
          class="plain small end"
          onClick={() => {
            select(NOTHING);
            document.querySelector<HTMLElement>('main h1')?.focus();
          }}
        >
          {clear}
        </button>
      </div>
      <FailedLinks selected={selected} />
    </section>
  );
}
