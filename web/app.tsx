import { useEffect, useState } from 'preact/hooks';
import { leaveFor, renewSession } from './api/client';
import { type Failure, failureOf } from './api/failure';
import { connection } from './data/connection';
import { account, features } from './data/first-answer';
import { useStore } from './data/store';
import { Frame } from './frame/frame';
import { type Load, loadMany, loadNewLink, loadPalette, loadWhenIdle } from './frame/chunks';
import { Screen, type ScreenModule } from './frame/screen';
import { Problem } from './parts/problem';
import { Skeleton } from './parts/skeleton';
import { usePlace } from './router';
import { texts } from './texts';

interface Route {
  readonly pattern: RegExp;
  readonly title: string;
  /** Loads the screen's code on demand or when idle. */
  readonly load: Load<ScreenModule>;
  /** Whether the path exists only for admins. */
  readonly isForAdmins?: boolean;
}

const ROUTES: readonly Route[] = [
  { pattern: /^\/$/, title: texts.nav.overview, load: () => import('./screens/overview/overview') },
  { pattern: /^\/links$/, title: texts.nav.links, load: () => import('./screens/links/links') },
  {
    pattern: /^\/links\/([0-9a-f]{24})$/,
    title: texts.link.title,
    load: () => import('./screens/link/link'),
  },
  {
    pattern: /^\/domains$/,
    title: texts.nav.domains,
    load: () => import('./screens/domains/domains'),
  },
  {
    pattern: /^\/domains\/([0-9a-f]{24})$/,
    title: texts.nav.domains,
    load: () => import('./screens/domains/domain'),
  },
  { pattern: /^\/tags$/, title: texts.nav.tags, load: () => import('./screens/tags/tags') },
  {
    pattern: /^\/analytics$/,
    title: texts.nav.analytics,
    load: () => import('./screens/analytics/analytics'),
  },
  {
    pattern: /^\/import(?:\/([0-9a-f]{24}))?$/,
    title: texts.nav.import,
    load: () => import('./screens/import/import'),
  },
  { pattern: /^\/keys$/, title: texts.nav.keys, load: () => import('./screens/keys/keys') },
  {
    pattern: /^\/settings$/,
    title: texts.nav.settings,
    load: () => import('./screens/settings/settings'),
  },
  {
    pattern: /^\/admin(?:\/(.+))?$/,
    title: texts.nav.admin,
    load: () => import('./screens/admin/admin'),
    isForAdmins: true,
  },
];

const NOT_FOUND: Route = {
  pattern: /^/,
  title: texts.notFound.title,
  load: () => import('./screens/not-found/not-found'),
};

const isMine = ({ isForAdmins = false }: Route): boolean =>
  !isForAdmins || account.get()?.role === 'admin';

let areOthersLoaded = false;

/** Loads all other screens after the first one, in case the service becomes unreachable. */
function loadOthers(): void {
  if (areOthersLoaded) return;
  areOthersLoaded = true;
  const screens = ROUTES.filter(isMine).map(({ load }) => load);
  loadWhenIdle([loadNewLink, loadMany, loadPalette, ...screens, NOT_FOUND.load]);
}

export function App() {
  const { path } = usePlace();
  const user = useStore(account);
  const route = ROUTES.filter(isMine).find(({ pattern }) => pattern.test(path)) ?? NOT_FOUND;
  const id = route.pattern.exec(path)?.[1] ?? '';
  useEffect(() => {
    document.title = `${route.title} · ${features.site_name}`;
  }, [route]);
  if (user === null) return <Renewal />;
  if (!user.email_verified) return <Unverified />;
  return (
    <Frame path={path}>
      <Screen key={route.title + id} load={route.load} id={id} loaded={loadOthers} />
    </Frame>
  );
}

function Renewal() {
  const [failure, setFailure] = useState<Failure | null>(null);
  const renew = (): void => {
    setFailure(null);
    renewSession().catch((thrown: unknown) => setFailure(failureOf(thrown)));
  };
  useEffect(() => {
    renew();
    return connection.subscribe((state) => {
      if (state === 'there') renew();
    });
  }, []);
  return (
    <main class="alone">
      <h1 class="unseen">{features.site_name}</h1>
      {failure === null ? <Skeleton rows={4} /> : <Problem failure={failure} retry={renew} />}
    </main>
  );
}

function Unverified() {
  useEffect(() => void leaveFor('/register/verify'), []);
  return (
    <main class="alone">
      <h1>{texts.unverified}</h1>
      <p>
        <a href="/register/verify">{texts.toVerify}</a>
      </p>
    </main>
  );
}
