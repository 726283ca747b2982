import type { ComponentChildren } from 'preact';
import { api, bodyOf, type Schemas } from '../../api/client';
import { useQuery } from '../../data/query';
import { count } from '../../format';
import { Icon } from '../../parts/icons';
import { Problem } from '../../parts/problem';
import { Skeleton } from '../../parts/skeleton';
import { Ago } from '../../parts/time';
import { Link } from '../../router';
import { texts } from '../../texts';
import { words } from './texts';

type Overview = Schemas['AdminOverviewResponse'];
type Value = string | number | null;

const ASK_EVERY_MS = 30_000;
const t = words.overview;
const bytes = new Intl.NumberFormat(texts.locale, { maximumSignificantDigits: 3 });

export function AdminOverview() {
  const found = useQuery('admin:overview', () => bodyOf(api.GET('/api/v1/admin/overview')), {
    everyMs: ASK_EVERY_MS,
  });
  const { value } = found;
  return (
    <>
      <header class="screen-head">
        <h1 tabIndex={-1}>{words.screens['']}</h1>
      </header>
      <Problem failure={found.failure} retry={found.reload} />
      {value === undefined && found.failure === null && <Skeleton rows={6} />}
      {value !== undefined && (
        <>
          <Attention overview={value} />
          {groupsOf(value).map(([name, figures]) => (
            <section key={name} class="card">
              <h2>{t.groups[name]}</h2>
              <dl class="figures">
                {Object.entries(figures).map(([figure, each]) => (
                  <div key={figure}>
                    <dt>{t.figures[figure] ?? figure}</dt>
                    <dd>
                      <Leading to={WAYS[`${name}.${figure}`]}>{shown(figure, each)}</Leading>
                    </dd>
                  </div>
                ))}
              </dl>
            </section>
          ))}
        </>
      )}
    </>
  );
}

/** Lists that figures link to: path below /admin, and filters. */
const WAYS: Readonly<Record<string, readonly [path: string, filters: string]>> = {
  'accounts.total': ['accounts', ''],
  'accounts.suspended': ['accounts', 'status=suspended'],
  'accounts.admins': ['accounts', 'role=admin'],
  'accounts.deleting': ['accounts', 'status=deleting'],
  'links.total': ['links', ''],
  'links.blocked': ['links', 'status=BLOCKED'],
};

function Leading({
  to,
  children,
}: {
  to: (typeof WAYS)[string] | undefined;
  children: ComponentChildren;
}) {
  if (to === undefined) return <>{children}</>;
  return (
    <Link to={`/admin/${to[0]}`} search={new URLSearchParams(to[1])}>
      {children}
    </Link>
  );
}

type Group = readonly [keyof typeof t.groups, Readonly<Record<string, Value>>];

function groupsOf(overview: Overview): readonly Group[] {
  const { accounts, links, clicks, storage, journal, jobs, mail } = overview;
  const { version, started_at, last_backup_at } = overview;
  return [
    ['accounts', { ...accounts }],
    ['links', { ...links }],
    ['clicks', { ...clicks }],
    ['jobs', { ...jobs }],
    ['mail', { ...mail }],
    ['storage', { ...storage }],
    ['journal', { ...journal }],
    ['service', { ...version, started_at, last_backup_at }],
  ];
}

/** Formats a figure. The name shows whether it is a time or a size. */
function shown(name: string, value: Value): ComponentChildren {
  if (value === null) return name.endsWith('_at') ? t.never : t.unknown;
  if (name.endsWith('_at')) return <Ago at={new Date(value)} />;
  if (typeof value === 'string') return value;
  return name.endsWith('bytes') ? size(value) : count(value);
}

function size(value: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  const at = Math.min(Math.floor(Math.log10(Math.max(value, 1)) / 3), units.length - 1);
  return `${bytes.format(value / 1000 ** at)} ${units[at] ?? 'B'}`;
}

function Attention({ overview }: { overview: Overview }) {
  const { reports, lists, mail, jobs, journal } = overview;
  const all = [
    { value: reports.open, text: t.openReports, to: '/admin/reports' },
    { value: lists.unreadable, text: t.unreadable, to: '/admin/lists' },
    { value: mail.failed_24h, text: t.failedMails },
    { value: jobs.failed_24h, text: t.failedJobs },
    { value: journal.quarantined, text: t.quarantined },
  ].filter(({ value }) => (value ?? 0) > 0);
  return (
    <section class="card">
      <h2>{t.attention}</h2>
      {all.length === 0 ? (
        <p class="all-clear">{t.calm}</p>
      ) : (
        <ul class="needs">
          {all.map(({ value, text, to }) => {
            const said = text(count(value ?? 0), value ?? 0);
            return (
              <li key={said}>
                <Icon name="warning" /> {to === undefined ? said : <Link to={to}>{said}</Link>}
              </li>
            );
          })}
        </ul>
      )}
    </section>
  );
}
