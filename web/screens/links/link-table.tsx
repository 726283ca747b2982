import { useLayoutEffect, useRef } from 'preact/hooks';
import type { Schemas } from '../../api/client';
import { removeLink } from '../../data/removals';
import { bare, count, hostOf } from '../../format';
import { Copy } from '../../parts/copy';
import { Icon } from '../../parts/icons';
import { LinkState } from '../../parts/link-state';
import { Ago } from '../../parts/time';
import { go, Link, usePlace } from '../../router';
import { texts } from '../../texts';
import { changed, type ListQuery, type Sort } from './list-query';

type LinkItem = Schemas['LinkItemResponse'];

interface TableProps {
  readonly items: readonly LinkItem[];
  readonly query: ListQuery;
  readonly isLoading: boolean;
}

/** One row a link. Arrow keys move from row to row, and from page to page. */
export function LinkTable({ items, query, isLoading }: TableProps) {
  const table = useRef<HTMLTableElement>(null);
  const isTurned = useRef(false);
  // The focus stays in the table however long the page takes, unless it was moved elsewhere meanwhile.
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
  return (
    <div class="table-card" aria-busy={isLoading}>
      <table class="links" ref={table} onKeyDown={(event) => move(event, turn)}>
        <caption class="unseen">{texts.links.caption}</caption>
        <thead>
          <tr>
            <th scope="col">{texts.links.columns.link}</th>
            <th scope="col" class="wide-only">
              {texts.links.columns.state}
            </th>
            <Sortable query={query} by="total_clicks" class="number" />
            <Sortable query={query} by="last_click" class="wide-only" />
            <Sortable query={query} by="created_at" class="wide-only" />
            <th scope="col" class="wide-only">
              <span class="unseen">{texts.links.columns.actions}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {items.map((link) => (
            <Row key={link.id} link={link} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Row({ link }: { link: LinkItem }) {
  const to = `/links/${link.id}`;
  return (
    <tr
      onClick={(event) => {
        const target = event.target as HTMLElement;
        // What is in the row and does something of its own is left alone, and so is selected text.
        if (target.closest('a, button') === null && String(getSelection()) === '') go(to);
      }}
    >
      <th scope="row">
        <Link to={to} class="alias" data-row>
          {link.alias}
        </Link>
        {link.password_set && <Mark icon="lock" text={texts.links.hasPassword} />}
        <span class="destination" title={link.long_url}>
          {hostOf(link.long_url)}
          <span class="path">{pathOf(link.long_url)}</span>
        </span>
        <span class="narrow-only">{link.status === 'INACTIVE' && <LinkState link={link} />}</span>
      </th>
      <td class="wide-only">
        <LinkState link={link} />
      </td>
      <td class="number">
        {count(link.total_clicks)}
        {link.max_clicks !== null && <span class="hint"> / {count(link.max_clicks)}</span>}
      </td>
      <td class="wide-only">
        {link.last_click === null ? (
          <span class="hint">{texts.links.never}</span>
        ) : (
          <Ago at={new Date(link.last_click)} />
        )}
      </td>
      <td class="wide-only">
        <Ago at={new Date(link.created_at)} />
      </td>
      <td class="actions-cell wide-only">
        <Copy text={link.short_url} what={bare(link.short_url)} kind="icon" />
        <button
          type="button"
          class="plain icon-only"
          data-remove
          aria-label={texts.links.remove(link.alias)}
          title={texts.links.remove(link.alias)}
          onClick={() => removeLink(link)}
        >
          <Icon name="trash" />
        </button>
      </td>
    </tr>
  );
}

function pathOf(url: string): string {
  try {
    const { pathname, search } = new URL(url);
    return pathname === '/' && search === '' ? '' : pathname + search;
  } catch {
    return '';
  }
}

function Mark({ icon, text }: { icon: 'lock'; text: string }) {
  return (
    <span class="mark" title={text}>
      <Icon name={icon} />
      <span class="unseen">{text}</span>
    </span>
  );
}

/** A heading that sorts; again turns the order round. */
function Sortable({ query, by, class: name }: { query: ListQuery; by: Sort; class: string }) {
  const { search } = usePlace();
  const isCurrent = query.sortBy === by;
  const isDown = isCurrent && query.sortOrder === 'descending';
  const next = { sort: by === 'created_at' ? null : by, order: isDown ? 'ascending' : null };
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

function move(event: KeyboardEvent, turn: (where: 'next' | 'before') => void): void {
  const rows = [...document.querySelectorAll<HTMLElement>('[data-row]')];
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
    Delete: () => removeFrom(rows, at),
    c: () => rows[at]?.closest('tr')?.querySelector<HTMLElement>('.actions-cell button')?.click(),
  };
  const action = target[event.key];
  if (action === undefined) return;
  event.preventDefault();
  action();
}

/** Deletes the link of a row and stays in the table. */
function removeFrom(rows: readonly HTMLElement[], at: number): void {
  const next = rows[at + 1] ?? rows[at - 1];
  rows[at]?.closest('tr')?.querySelector<HTMLElement>('[data-remove]')?.click();
  next?.focus();
}

function toSearch(): void {
  document.querySelector<HTMLElement>('input[type="search"]')?.focus();
}
