import type { AnchorHTMLAttributes, ComponentChildren } from 'preact';
import { Store, useStore } from './data/store';

const BASE = '/dashboard';

/** The current path and query, which hold the state of every screen. */
export interface Place {
  /** Path below /dashboard without a trailing slash: `/` or `/links/665f…`. */
  readonly path: string;
  readonly search: URLSearchParams;
}

export const place = new Store<Place>(readPlace());

function readPlace(): Place {
  const path = location.pathname.slice(BASE.length).replace(/\/+$/, '');
  return { path: path === '' ? '/' : path, search: new URLSearchParams(location.search) };
}

addEventListener('popstate', () => place.set(readPlace()));

export function usePlace(): Place {
  return useStore(place);
}

export function addressOf(path: string, search = new URLSearchParams()): string {
  const query = search.toString();
  return `${BASE}${path === '/' ? '' : path}${query === '' ? '' : `?${query}`}`;
}

export function go(
  path: string,
  search = new URLSearchParams(),
  how: 'push' | 'replace' = 'push',
): void {
  history[how === 'push' ? 'pushState' : 'replaceState'](null, '', addressOf(path, search));
  place.set(readPlace());
  if (how === 'push' && document.activeElement === document.body) scrollTo(0, 0);
}

/** Changes query parameters. Null removes a parameter. */
export function goWith(
  changes: Readonly<Record<string, string | null>>,
  how: 'push' | 'replace' = 'push',
): void {
  const { path, search } = place.get();
  go(path, withChanges(search, changes), how);
}

export function withChanges(
  search: URLSearchParams,
  changes: Readonly<Record<string, string | null>>,
): URLSearchParams {
  const next = new URLSearchParams(search);
  for (const [name, value] of Object.entries(changes)) {
    if (value === null || value === '') next.delete(name);
    else next.set(name, value);
  }
  return next;
}

type LinkProps = Omit<AnchorHTMLAttributes, 'href' | 'role'> & {
  readonly to: string;
  readonly search?: URLSearchParams;
  readonly children?: ComponentChildren;
};

export function Link({ to, search, children, ...others }: LinkProps) {
  return (
    <a
      {...others}
      href={addressOf(to, search)}
      onClick={(event) => {
        if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey)
          return;
        event.preventDefault();
        go(to, search);
      }}
    >
      {children}
    </a>
  );
}
