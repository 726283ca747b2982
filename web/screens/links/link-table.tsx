import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Schemas } from '../../api/client';
import { labelOf } from '../../data/domains';
import { removeLinks } from '../../data/link-changes';
import { type Selection, shareOf } from '../../data/selection';
import { bare, count, partsOf } from '../../format';
import { Clicks } from '../../parts/clicks';
import { Copy } from '../../parts/copy';
import { Dialog } from '../../parts/dialog';
import { ShortAddress } from '../../parts/short-address';
import { Icon } from '../../parts/icons';
import { LinkState } from '../../parts/link-state';
import { TagChips } from '../../parts/tags';
import { Ago } from '../../parts/time';
import { go, Link, usePlace } from '../../router';
import { texts } from '../../texts';
import { QrCode } from '../link/qr-code';
import { changed, type ListQuery } from './list-query';
import { RowMenu } from './row-menu';

type LinkItem = Schemas['LinkItemResponse'];

interface TableProps {
  readonly items: readonly LinkItem[];
  readonly query: ListQuery;
  readonly isLoading: boolean;
  readonly selection: Selection;
  /** Called when a checkbox changes. With Shift, the selection extends to the row. */
  readonly select: (id: string, isChosen: boolean, extendsRange: boolean) => void;
  readonly selectPage: (isChosen: boolean) => void;
}

/** Arrow keys move between rows and pages. */
export function LinkTable(props: TableProps) {
  const { items, query, isLoading, selection, select, selectPage } = props;
  const table = useRef<HTMLTableElement>(null);
  const isTurned = useRef(false);
  const [coded, setCoded] = useState<LinkItem | null>(null);
  // Keeps the focus in the table after a page change, unless the user has moved it.
  useLayoutEffect(() => {
    if (isLoading || !isTurned.current) return;
    isTurned.current = false;
    const { activeElement } = document;
    if (activeElement !== document.body && table.current?.contains(activeElement) !== true) return;
    table.current?.querySelector<HTMLElement>('[data-row]')?.focus();
  }, [isLoading, query.page]);
  const turn = (where: 'next' | 'before'): void => {
    const button = document.querySelector<HTMLButtonElement>(`[data-page="${where}"]`);
    if (button === null || button.disabled) return;
    isTurned.current = true;
    button.click();
  };
  /** Deletes a row's link and focuses the next row. */
  const remove = (at: number): void => {
    const [link, rows] = [items[at], rowsOf(table.current)];
    if (link !== undefined) removeLinks([link]);
    (rows[at + 1] ?? rows[at - 1])?.focus();
  };
  return (
    <div class="table-card" aria-busy={isLoading}>
      <table class="links" ref={table} onKeyDown={(event) => move(event, turn, remove)}>
        <caption class="unseen">{texts.links.caption}</caption>
        <thead>
          <tr>
            <td class="chosen-cell">
              <SelectPage share={shareOf(selection, items)} select={selectPage} />
            </td>
            <Sortable query={query} by="alias" class="" />
            <th scope="col" class="wide-only">
              {texts.links.columns.state}
            </th>
            <Sortable query={query} by="total_clicks" class="number" />
            <Sortable query={query} by="last_click" class="wide-only roomy-only" />
            <Sortable query={query} by="created_at" class="wide-only" />
            <th scope="col">
              <span class="unseen">{texts.links.columns.actions}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {items.map((link, at) => (
            <Row
              key={link.id}
              link={link}
              isChosen={selection.links.has(link.id)}
              select={(isChosen, extendsRange) => select(link.id, isChosen, extendsRange)}
              showCode={() => setCoded(link)}
              remove={() => remove(at)}
            />
          ))}
        </tbody>
      </table>
      {coded !== null && (
        <Dialog title={texts.qr.title} close={() => setCoded(null)}>
          <QrCode link={coded} />
        </Dialog>
      )}
    </div>
  );
}

function SelectPage(props: { share: 'none' | 'some' | 'all'; select: (isAll: boolean) => void }) {
  const { share, select } = props;
  return (
    <input
      type="checkbox"
      aria-label={texts.selection.page}
      title={texts.selection.page}
      checked={share === 'all'}
      indeterminate={share === 'some'}
      onChange={() => select(share !== 'all')}
    />
  );
}

interface RowProps {
  readonly link: LinkItem;
  readonly isChosen: boolean;
  readonly select: (isChosen: boolean, extendsRange: boolean) => void;
  readonly showCode: () => void;
  readonly remove: () => void;
}

function Row({ link, isChosen, select, showCode, remove }: RowProps) {
  const to = `/links/${link.id}`;
  const { host, rest } = partsOf(link.long_url);
  // Clicks imported as totals have no times.
  const isMoved = (link.imported_clicks ?? 0) > 0;
  return (
    <tr
      class={isChosen ? 'chosen' : undefined}
      onClick={(event) => {
        const target = event.target as HTMLElement;
        // Ignores clicks on interactive parts and text selections.
        if (
          target.closest('a, button, .chosen-cell, [popover]') === null &&
          String(getSelection()) === ''
        )
          go(to);
      }}
    >
      <td class="chosen-cell">
        <input
          type="checkbox"
          aria-label={texts.selection.link(labelOf(link))}
          checked={isChosen}
          onClick={(event) => select(event.currentTarget.checked, event.shiftKey)}
        />
      </td>
      <th scope="row">
        {link.title !== null && (
          <span class="link-title" dir="auto">
            {link.title}
          </span>
        )}
        <span class={link.title === null ? 'names' : 'names of-titled'}>
          <span>
            <Link to={to} class="alias" data-row>
              <ShortAddress of={link} />
            </Link>
            {link.password_set && <Mark icon="lock" text={texts.links.hasPassword} />}
          </span>
          <span class="destination" title={link.long_url}>
            {host}
            <span class="path">{rest}</span>
          </span>
        </span>
        <TagChips names={link.tags} />
        <span class="narrow-only dates hint">
          {link.status !== 'ACTIVE' && <LinkState link={link} />}
          <span>
            {texts.links.made} <Ago at={new Date(link.created_at)} style="short" />
          </span>
          <span>
            {link.last_click === null ? (
              isMoved ? (
                texts.links.lastUnknown
              ) : (
                texts.links.neverClicked
              )
            ) : (
              <>
                {texts.links.clicked} <Ago at={new Date(link.last_click)} style="short" />
              </>
            )}
          </span>
        </span>
      </th>
      <td class="wide-only">
        <LinkState link={link} />
      </td>
      <td class="number">
        <Clicks recorded={link.total_clicks} imported={link.imported_clicks} />
        {link.max_clicks !== null && <span class="hint"> / {count(link.max_clicks)}</span>}
      </td>
      <td class="wide-only roomy-only">
        {link.last_click === null ? (
          <span class="hint">{isMoved ? texts.links.unknown : texts.links.never}</span>
        ) : (
          <Ago at={new Date(link.last_click)} />
        )}
      </td>
      <td class="wide-only">
        <Ago at={new Date(link.created_at)} />
      </td>
      <td class="actions-cell">
        <Copy text={link.short_url} what={bare(link.short_url)} kind="icon" />
        <RowMenu link={link} showCode={showCode} remove={remove} />
      </td>
    </tr>
  );
}

function Mark({ icon, text }: { icon: 'lock'; text: string }) {
  return (
    <span class="mark" title={text}>
      <Icon name={icon} />
      <span class="unseen">{text}</span>
    </span>
  );
}

function Sortable({
  query,
  by,
  class: name,
}: {
  query: ListQuery;
  by: ListQuery['sortBy'];
  class: string;
}) {
  const { search } = usePlace();
  const isCurrent = query.sortBy === by;
  const isDown = isCurrent && query.sortOrder === 'descending';
  // The first click sorts aliases ascending, and numbers and times descending.
  const goesUp = isCurrent ? isDown : by === 'alias';
  const next = { sort: by === 'created_at' ? null : by, order: goesUp ? 'ascending' : null };
  return (
    <th scope="col" class={name} aria-sort={isCurrent ? query.sortOrder : undefined}>
      <button
        type="button"
        class="sort"
        onClick={() => go('/links', changed(search, next), 'replace')}
      >
        {texts.links.columns[by]}
        {isCurrent && <Icon name={isDown ? 'down' : 'up'} />}
      </button>
    </th>
  );
}

const rowsOf = (table: HTMLElement | null): HTMLElement[] => [
  ...(table?.querySelectorAll<HTMLElement>('[data-row]') ?? []),
];

function move(
  event: KeyboardEvent & { readonly currentTarget: HTMLElement },
  turn: (where: 'next' | 'before') => void,
  remove: (at: number) => void,
): void {
  const rows = rowsOf(event.currentTarget);
  const at = rows.indexOf(document.activeElement as HTMLElement);
  if (at < 0 || event.ctrlKey || event.metaKey || event.altKey) return;
  const target: Record<string, () => void> = {
    ArrowDown: () => rows[at + 1]?.focus(),
    ArrowUp: () => (at === 0 ? toSearch() : rows[at - 1]?.focus()),
    Home: () => rows[0]?.focus(),
    End: () => rows.at(-1)?.focus(),
    ArrowRight: () => turn('next'),
    PageDown: () => turn('next'),
    ArrowLeft: () => turn('before'),
    PageUp: () => turn('before'),
    Delete: () => remove(at),
    c: () => rows[at]?.closest('tr')?.querySelector<HTMLElement>('.actions-cell button')?.click(),
    x: () => rows[at]?.closest('tr')?.querySelector<HTMLElement>('.chosen-cell input')?.click(),
  };
  const action = target[event.key];
  if (action === undefined) return;
  event.preventDefault();
  action();
}

function toSearch(): void {
  document.querySelector<HTMLElement>('input[type="search"]')?.focus();
}
