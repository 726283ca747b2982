import type { ComponentChild } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { api, bodyOf, fileOf, type Schemas } from '../../api/client';
import { save } from '../../data/files';
import { useKept, useQuery } from '../../data/query';
import { account, isLeaving } from '../../data/first-answer';
import { edits, leaving, selection } from '../../data/link-changes';
import { NOTHING, type Selection, shareOf, toggled, withLinks } from '../../data/selection';
import { useStore } from '../../data/store';
import { sayFailure } from '../../data/toasts';
import { count } from '../../format';
import { loadMany, useChunk } from '../../frame/chunks';
import { MissingPart } from '../../frame/screen';
import { openNewLink } from '../../frame/shortcuts';
import { Clicks } from '../../parts/clicks';
import { Dialog } from '../../parts/dialog';
import { Empty } from '../../parts/empty';
import { ExportMenu } from '../../parts/export-menu';
import { Icon } from '../../parts/icons';
import { Pager } from '../../parts/pager';
import { isFinal, Problem } from '../../parts/problem';
import { SearchBox } from '../../parts/search-box';
import { Skeleton } from '../../parts/skeleton';
import { go, goWith, Link, usePlace } from '../../router';
import { texts } from '../../texts';
import { Filters } from './filters';
import {
  changed,
  filterCount,
  filterOf,
  type ListQuery,
  onlyTagsOf,
  PAGE_SIZE,
  readListQuery,
} from './list-query';
import { LinkTable } from './link-table';
import { SelectionBar } from './selection-bar';
import { ChosenTags } from './tag-filter';

type LinkItem = Schemas['LinkItemResponse'];

export default function Links() {
  const { search } = usePlace();
  const query = readListQuery(search);
  const filter = filterOf(query);
  const { page, sortBy, sortOrder } = query;
  const list = useQuery(`links:${JSON.stringify([page, sortBy, sortOrder, filter])}`, () =>
    bodyOf(
      api.GET('/api/v1/urls', {
        params: { query: { page, pageSize: PAGE_SIZE, sortBy, sortOrder, filter, sums: true } },
      }),
    ),
  );
  const [gone, changes] = [useStore(leaving), useStore(edits)];
  const isClosing = isLeaving(useStore(account));
  const chosen = useSelection(filter);
  const shown = useKept(list.value);
  const items = shown?.items
    .filter(({ id }) => !gone.has(id))
    .map((link) => changes.reduce((edited, change) => change.apply(edited), link));
  const onPage = new Set(shown?.items.map(({ id }) => id));
  // Links on other pages match the filter if it is still the one under which they were chosen.
  const goneUnder = useRef({ gone, filter });
  if (goneUnder.current.gone !== gone) goneUnder.current = { gone, filter };
  const isSameFilter = goneUnder.current.filter === filter;
  const left = [...gone.values()].filter(({ id }) => isSameFilter || onPage.has(id));
  const total = shown === undefined ? null : Math.max(shown.total - left.length, 0);
  return (
    <>
      <header class="screen-head">
        <div>
          <h1 tabIndex={-1}>{texts.nav.links}</h1>
          <Sums
            query={query}
            total={total}
            clicks={without(shown?.total_clicks, left, ({ total_clicks: clicks }) => clicks)}
            imported={without(shown?.imported_clicks, left, (link) => link.imported_clicks ?? 0)}
          />
        </div>
        <div class="head-actions">
          <button
            type="button"
            class="quiet small"
            disabled={isClosing}
            onClick={() => goWith({ many: '1' })}
          >
            <Icon name="list" /> {texts.many.open}
          </button>
          <Export filter={filter} isEmpty={total === 0} />
        </div>
      </header>
      <div class="toolbar">
        <Search query={query} />
        <Filters query={query} />
        <SortChoice query={query} />
      </div>
      <ChosenTags query={query} />
      <Problem failure={list.failure} retry={list.reload} />
      {items === undefined && !isFinal(list.failure) && <Skeleton rows={8} />}
      {items !== undefined && items.length > 0 && (
        <LinkTable
          items={items}
          query={query}
          isLoading={list.value === undefined}
          selection={chosen}
          select={(id, isChosen, extendsRange) =>
            selection.set(toggled(chosen, items, id, { isChosen, extendsRange }))
          }
          selectPage={(isChosen) => selection.set(withLinks(chosen, items, isChosen))}
        />
      )}
      {items?.length === 0 && total === 0 && <NoLinks query={query} />}
      {shown !== undefined && (
        <Pager
          page={page}
          pageSize={PAGE_SIZE}
          total={total ?? 0}
          turn={(next) => go('/links', changed(search, { page: next === 1 ? null : String(next) }))}
        />
      )}
      {chosen.links.size > 0 && (
        <SelectionBar
          selected={chosen}
          filter={filter}
          total={total ?? 0}
          isPageChosen={items !== undefined && shareOf(chosen, items) === 'all'}
        />
      )}
      <CreateMany isOpen={search.has('many')} />
    </>
  );
}

/** Returns the selection, and clears it when the filter changes. */
function useSelection(filter: string | undefined): Selection {
  const chosen = useStore(selection);
  useEffect(() => {
    return () => selection.set(NOTHING);
  }, [filter]);
  return chosen;
}

interface SumsProps {
  readonly query: ListQuery;
  readonly total: number | null;
  readonly clicks: number | undefined;
  readonly imported: number | undefined;
}

/** Subtracts links that are being deleted, which the answer still includes. */
function without(
  sum: number | undefined,
  links: readonly LinkItem[],
  clicksOn: (link: LinkItem) => number,
): number | undefined {
  if (sum === undefined) return undefined;
  return Math.max(
    0,
    links.reduce((rest, link) => rest - clicksOn(link), sum),
  );
}

/** Shows the number of links and, for tags, their clicks. */
function Sums({ query, total, clicks, imported }: SumsProps) {
  const tags = onlyTagsOf(query);
  const filters = JSON.stringify({ tag: tags });
  const visitors = useQuery(tags === null ? null : `stats:account:visitors:${filters}`, () =>
    bodyOf(
      api.GET('/api/v1/stats', {
        params: { query: { scope: 'all', group_by: 'tag', limit: 1, filters } },
      }),
    ),
  ).value?.summary.unique_clicks;
  const t = texts.links;
  const said: ComponentChild[] = [
    ...(total === null ? [] : [t.total(count(total), total)]),
    ...(total === null || clicks === undefined
      ? []
      : [<Clicks isNamed recorded={clicks} imported={imported} />]),
    ...(tags === null || visitors === undefined ? [] : [t.visitors(count(visitors), visitors)]),
  ];
  return (
    <p class="lead" role="status">
      {said.length === 0 && '\u00a0'}
      {said.map((sum, i) => (
        <>
          {i > 0 && ', '}
          <span>{sum}</span>
        </>
      ))}
    </p>
  );
}

function CreateMany({ isOpen }: { isOpen: boolean }) {
  const { chunk, missing, retry } = useChunk(isOpen ? loadMany : null);
  if (!isOpen) return null;
  if (chunk !== null) return <chunk.ManyLinks />;
  if (missing === null) return null;
  return (
    <Dialog title={texts.many.title} close={() => goWith({ many: null }, 'replace')}>
      <MissingPart why={missing} retry={retry} />
    </Dialog>
  );
}

function Search({ query }: { query: ListQuery }) {
  const { search } = usePlace();
  return (
    <SearchBox
      label={texts.links.search}
      current={query.search}
      ask={(text) => go('/links', changed(search, { search: text }), 'replace')}
      onKeyDown={(event, input) => {
        if (event.key === 'ArrowDown') {
          event.preventDefault();
          document.querySelector<HTMLElement>('[data-row]')?.focus();
        } else if (event.key === 'Escape' && input.value === '') input.blur();
      }}
    >
      <kbd aria-hidden="true">/</kbd>
    </SearchBox>
  );
}

/** Includes sort orders without a visible column, for phones. */
function SortChoice({ query: { sortBy, sortOrder } }: { query: ListQuery }) {
  const { search } = usePlace();
  const now = `${sortBy} ${sortOrder}`;
  return (
    <div class="sort-choice">
      <Icon name="sort" />
      <select
        aria-label={texts.links.sort}
        value={now}
        onChange={({ currentTarget: { value } }) => {
          const [sort = null, order = null] = value.split(' ');
          const next = {
            sort: sort === 'created_at' ? null : sort,
            order: order === 'ascending' ? order : null,
          };
          go('/links', changed(search, next), 'replace');
        }}
      >
        {Object.entries(texts.links.sorts).map(([each, label]) => (
          <option key={each} value={each} selected={each === now}>
            {label}
          </option>
        ))}
      </select>
    </div>
  );
}

function NoLinks({ query }: { query: ListQuery }) {
  if (query.search === '' && filterCount(query) === 0 && query.page === 1) {
    return (
      <Empty icon="links" title={texts.links.none}>
        <p>{texts.links.noneHint}</p>
        <button type="button" onClick={openNewLink}>
          <Icon name="plus" /> {texts.links.create}
        </button>
        <p class="or">
          <Link to="/import">{texts.links.import}</Link>
        </p>
      </Empty>
    );
  }
  return (
    <Empty icon="search" title={texts.links.noneFound}>
      <p>{texts.links.noneFoundHint}</p>
      <button type="button" class="quiet" onClick={() => go('/links')}>
        {texts.links.showAll}
      </button>
    </Empty>
  );
}

function Export({ filter, isEmpty }: { filter: string | undefined; isEmpty: boolean }) {
  const [isRunning, setRunning] = useState(false);
  const download = (format: string): void => {
    if (isRunning) return;
    setRunning(true);
    const parameters = new URLSearchParams({ format });
    if (filter !== undefined) parameters.set('filter', filter);
    fileOf(`/api/v1/urls/export?${parameters.toString()}`)
      .then(save)
      .catch(sayFailure)
      .finally(() => setRunning(false));
  };
  if (isEmpty) return null;
  return <ExportMenu formats={['csv', 'xlsx', 'json']} isRunning={isRunning} download={download} />;
}
