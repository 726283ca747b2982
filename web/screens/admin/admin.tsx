import type { ComponentType } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { Link } from '../../router';
import { texts } from '../../texts';
import NotFound from '../not-found/not-found';
import { Accounts } from './accounts';
import { AdminDomains } from './admin-domains';
import { AdminLinks } from './admin-links';
import { AdminOverview } from './admin-overview';
import { Hosts } from './hosts';
import { Jobs } from './jobs';
import { Lists } from './lists';
import { OneAccount } from './one-account';
import { Reports } from './reports';
import { words } from './texts';
import { Trail } from './trail';

interface AdminScreen {
  readonly name: keyof typeof words.screens;
  readonly Content: ComponentType;
  /** Detail screen for the item whose id is in the path. */
  readonly One?: ComponentType<{ id: string }>;
}

const SCREENS: readonly AdminScreen[] = [
  { name: '', Content: AdminOverview },
  { name: 'links', Content: AdminLinks },
  { name: 'accounts', Content: Accounts, One: OneAccount },
  { name: 'reports', Content: Reports },
  { name: 'domains', Content: AdminDomains },
  { name: 'jobs', Content: Jobs },
  { name: 'lists', Content: Lists },
  { name: 'hosts', Content: Hosts },
  { name: 'trail', Content: Trail },
];

export default function Admin({ id }: { id: string }) {
  const [name = '', one] = id.split('/');
  const tabs = useRef<HTMLElement>(null);
  useEffect(() => {
    const current = tabs.current?.querySelector('[aria-current]');
    current?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [name]);
  const screen = id === '' ? SCREENS[0] : SCREENS.find((each) => each.name === name);
  const isItem = one !== undefined && /^[0-9a-f]{24}$/.test(one) && id === `${name}/${one}`;
  if (screen === undefined || (one !== undefined && !(isItem && screen.One))) return <NotFound />;
  const { Content, One } = screen;
  return (
    <>
      <nav class="views admin-views" aria-label={texts.nav.admin} ref={tabs}>
        {SCREENS.map(({ name: each }) => (
          <Link
            key={each}
            to={each === '' ? '/admin' : `/admin/${each}`}
            aria-current={screen.name === each ? 'page' : undefined}
          >
            {words.screens[each]}
          </Link>
        ))}
      </nav>
      {One !== undefined && one !== undefined ? <One id={one} /> : <Content />}
    </>
  );
}
