import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { api, bodyOf } from '../api/client';
import { connection } from '../data/connection';
import { account, features, isLeaving } from '../data/first-answer';
import { useStore } from '../data/store';
import { say, sayFailure } from '../data/toasts';
import { dateTime } from '../format';
import { Dialog } from '../parts/dialog';
import { Icon } from '../parts/icons';
import { Toasts } from '../parts/toasts';
import { addressOf, goWith, Link, usePlace } from '../router';
import { texts } from '../texts';
import { sharedPage, TAKEN_OVER } from '../data/shared-page';
import { loadNewLink, useChunk } from './chunks';
import { Finder, FinderButton } from './finder';
import type { ScreenOffer } from './palette';
import { MissingPart } from './screen';
import { openNewLink, Shortcuts } from './shortcuts';
import { ThemeSwitch } from './theme';

const NAVIGATION: readonly ScreenOffer[] = [
  { path: '/', label: texts.nav.overview, icon: 'overview' },
  { path: '/links', label: texts.nav.links, icon: 'links' },
  { path: '/tags', label: texts.nav.tags, icon: 'tags' },
  { path: '/analytics', label: texts.nav.analytics, icon: 'analytics' },
  { path: '/domains', label: texts.nav.domains, icon: 'domains' },
  { path: '/import', label: texts.nav.import, icon: 'import' },
  { path: '/keys', label: texts.nav.keys, icon: 'keys' },
  { path: '/settings', label: texts.nav.settings, icon: 'settings' },
];

/** Number of screens in a phone's tab bar. Its menu contains the rest. */
const MAX_TABS = 4;

const ADMINISTRATION = { path: '/admin', label: texts.nav.admin, icon: 'admin' } as const;

export function Frame({ path, children }: { path: string; children: ComponentChildren }) {
  const rest = useRef<HTMLDivElement>(null);
  const user = useStore(account);
  const isAdmin = user?.role === 'admin';
  const screens = [...NAVIGATION, ...(isAdmin ? [ADMINISTRATION] : [])];
  const items = screens.map(({ path: to, label, icon }) => {
    const isHere = to === '/' ? path === '/' : path.startsWith(to);
    return (
      <Link key={to} to={to} aria-current={isHere ? 'page' : undefined}>
        <Icon name={icon} />
        <span>{label}</span>
      </Link>
    );
  });
  useEffect(() => rest.current?.hidePopover(), [path]);
  return (
    <div class="frame">
      <a class="skip" href="#content">
        {texts.skip}
      </a>
      <header class="top">
        <Link class="brand" to="/">
          {features.site_name}
        </Link>
        <div class="top-actions">
          <button type="button" class="small" onClick={openNewLink} disabled={isLeaving(user)}>
            <Icon name="plus" />
            {texts.links.create}
          </button>
          <FinderButton />
          <ThemeSwitch />
          <AccountMenu />
        </div>
      </header>
      <nav class="side" aria-label={texts.nav.label}>
        {items.slice(0, MAX_TABS)}
        <button type="button" class="plain more-tab" popovertarget="more-screens">
          <Icon name="more" />
          <span>{texts.nav.more}</span>
        </button>
        <div id="more-screens" class="more-screens" popover="auto" ref={rest}>
          {items.slice(MAX_TABS)}
        </div>
      </nav>
      <main id="content" tabIndex={-1}>
        <Connection />
        {user !== null && user.deletes_at !== null && <Leaving deletesAt={user.deletes_at} />}
        {children}
      </main>
      <NewLinkDrawer />
      <Finder screens={screens} />
      <Toasts />
      <Shortcuts />
    </div>
  );
}

function NewLinkDrawer() {
  const place = usePlace();
  const isOpen = place.search.has('new') || sharedPage(place) !== null;
  const { chunk, missing, retry } = useChunk(isOpen ? loadNewLink : null);
  if (!isOpen) return null;
  if (chunk !== null) return <chunk.NewLink />;
  if (missing === null) return null;
  return (
    <Dialog
      title={texts.links.create}
      close={() => goWith({ ...TAKEN_OVER, new: null }, 'replace')}
      kind="drawer"
    >
      <MissingPart why={missing} retry={retry} />
    </Dialog>
  );
}

/** Shown on every screen of an account that is about to be deleted. */
function Leaving({ deletesAt }: { deletesAt: number }) {
  const keep = (): void => {
    bodyOf(api.POST('/auth/me/restore'))
      .then(({ user }) => {
        account.set(user);
        say(texts.leaving.kept);
      })
      .catch(sayFailure);
  };
  return (
    <div role="status" class="banner">
      <Icon name="warning" />
      <span>{texts.leaving.text(dateTime(new Date(deletesAt * 1000)))}</span>
      <button type="button" class="small" onClick={keep}>
        {texts.leaving.keep}
      </button>
    </div>
  );
}

function Connection() {
  const state = useStore(connection);
  return (
    <div role="status" class="connection">
      {state === 'away' && (
        <p class="banner">
          <Icon name="warning" />
          <span>
            <strong>{texts.away.title}</strong> {texts.away.text}
          </span>
        </p>
      )}
    </div>
  );
}

function AccountMenu() {
  const user = useStore(account);
  if (user === null) return null;
  return (
    <>
      <button
        type="button"
        class="plain icon-only"
        popovertarget="account-menu"
        aria-label={texts.account.menu}
        title={user.email}
      >
        <Icon name="account" />
      </button>
      <div id="account-menu" class="menu" popover="auto">
        <p class="who">
          {user.user_name !== null && <strong>{user.user_name}</strong>}
          <span>{user.email}</span>
        </p>
        <a href={addressOf('/settings')}>{texts.nav.settings}</a>
        <a href="/docs">{texts.account.api}</a>
        <a href={features.home_url}>{texts.account.home}</a>
        <form method="post" action="/dashboard/logout">
          <button type="submit" class="plain">
            {texts.account.signOut}
          </button>
        </form>
      </div>
    </>
  );
}
