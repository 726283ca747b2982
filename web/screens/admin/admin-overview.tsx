import type { ComponentChildren } from 'preact';
import { api, bodyOf, type Schemas } from '../../api/client';
import { useQuery } from '../../data/query';
import { count } from '../../format';
import { Icon } from '../../parts/icons';
import { ScreenHead } from '../../parts/screen-head';
import { Loading } from '../../parts/skeleton';
import { Ago } from '../../parts/time';
import { Link } from '../../router';
import { texts } from '../../texts';
import { AdminTable } from './admin-list';
import { words } from './texts';

type Overview = Schemas['AdminOverviewResponse'];
type Item = Overview['attention'][number];
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
      <ScreenHead title={words.screens['']} />
      <Loading found={found} rows={6} />
      {value !== undefined && (
        <>
          <Attention items={value.attention} />
          <Figures overview={value} />
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
  'jobs.queued': ['jobs', 'state=queued'],
  'jobs.running': ['jobs', 'state=running'],
  'jobs.failed_24h': ['jobs', 'state=failed'],
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

function Figures({ overview }: { overview: Overview }) {
  return (
    <AdminTable
      caption={t.caption}
      items={groupsOf(overview)}
      isLoading={false}
      keyOf={([name]) => name}
      columns={[
        { title: t.area, cell: ([name]) => t.groups[name] },
        {
          title: t.caption,
          cell: ([name, figures]) => (
            <ul class="figures">
              {Object.entries(figures).map(([figure, each]) => (
                <li key={figure}>
                  {each === null && t.missing[figure] !== undefined ? (
                    t.missing[figure]
                  ) : (
                    <>
                      <strong>
                        <Leading to={WAYS[`${name}.${figure}`]}>{shown(figure, each)}</Leading>
                      </strong>{' '}
                      {nameOf(name, figure, each)}
                    </>
                  )}
                </li>
              ))}
            </ul>
          ),
        },
      ]}
    />
  );
}

function nameOf(group: string, figure: string, value: Value): string {
  const name = t.figures[`${group}.${figure}`] ?? t.figures[figure] ?? figure;
  return typeof name === 'string' ? name : name[value === 1 ? 0 : 1];
}

/** Formats a figure. The name shows whether it is a time or a size. */
function shown(name: string, value: Value): ComponentChildren {
  if (value === null) return t.unknown;
  if (name.endsWith('_at')) return <Ago at={new Date(value)} />;
  if (typeof value === 'string') return t.transports[value] ?? value;
  return name.endsWith('bytes') ? size(value) : count(value);
}

function size(value: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  const at = Math.min(Math.floor(Math.log10(Math.max(value, 1)) / 3), units.length - 1);
  return `${bytes.format(value / 1000 ** at)} ${units[at] ?? 'B'}`;
}

/** Screens on which admins can fix a problem. Operators fix the other problems on the server. */
const WAYS_OUT: Readonly<Partial<Record<Item['kind'], readonly [path: string, filters: string]>>> =
  {
    reports: ['reports', ''],
    jobs_failed: ['jobs', 'state=failed'],
    unreadable: ['lists', ''],
  };

function Attention({ items }: { items: readonly Item[] }) {
  if (items.length === 0) {
    return (
      <p class="all-clear">
        <Icon name="check" /> {t.calm}
      </p>
    );
  }
  return (
    <section class="card needs" aria-labelledby="needs">
      <h2 id="needs">{t.attention}</h2>
      <ul>
        {items.map(({ kind, count: value }) => {
          const number = kind === 'disk' ? size(value ?? 0) : count(value ?? 0);
          return (
            <li key={kind}>
              <Icon name="warning" />
              <div>
                <strong>
                  <Leading to={WAYS_OUT[kind]}>{t.needs[kind]?.(number, value)}</Leading>
                </strong>
                <span class="hint">{t.todo[kind]}</span>
              </div>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
