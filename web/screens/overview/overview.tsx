import { withPartials } from '../../../src/pages/chart-drawing';
import type { Schemas } from '../../api/client';
import { askOverview } from '../../api/overview';
import { useQuery } from '../../data/query';
import { ownZone } from '../../data/zones';
import { bare, count, dateTime, partsOf } from '../../format';
import { Chart } from '../../parts/chart';
import { Copy } from '../../parts/copy';
import { isFinal, Problem } from '../../parts/problem';
import { ShortAddress } from '../../parts/short-address';
import { Loading, Skeleton } from '../../parts/skeleton';
import { Link } from '../../router';
import { type Range, spanBefore, spanOf } from '../../stats/span';
import type { StatsQuery } from '../../stats/stats-query';
import { Change } from '../../stats/totals';
import { ACCOUNT, rowsOf } from '../../stats/subject';
import { texts } from '../../texts';
import { Attention } from './attention';
import { Checklist } from './checklist';
import { Claim } from './claim';
import { Shorten } from './shorten';

type OverviewAnswer = Schemas['OverviewResponse'];

const EVERY_MS = 30_000;

export default function Overview() {
  const found = useQuery('overview', askOverview, { everyMs: EVERY_MS });
  const overview = found.value;
  return (
    <>
      <h1 tabIndex={-1} class="unseen">
        {texts.nav.overview}
      </h1>
      <p class="print-only">
        <strong>{texts.nav.overview}</strong> · {texts.stats.asOf(dateTime(new Date()))}
      </p>
      <Claim />
      <Shorten />
      <Loading found={found} rows={6} />
      {overview !== undefined && (
        <>
          <Checklist overview={overview} />
          {overview.links.total > 0 && (
            <>
              <Figures overview={overview} />
              <div class="overview-grid">
                <Month hint={emptyHint(overview)} />
                <div>
                  <Attention items={overview.attention} />
                  <Hot overview={overview} />
                </div>
              </div>
            </>
          )}
        </>
      )}
    </>
  );
}

function Figures({ overview: { links, clicks } }: { overview: OverviewAnswer }) {
  const t = texts.overview;
  const [yesterday, week] = [useClicksBefore('today'), useClicksBefore('7d')];
  return (
    <dl class="totals">
      <div>
        <dt>{t.today}</dt>
        <dd>{count(clicks.today)}</dd>
        {yesterday !== undefined && <dd class="change">{t.yesterday(count(yesterday))}</dd>}
      </div>
      <div>
        <dt>{t.week}</dt>
        <dd>{count(clicks.last_7_days)}</dd>
        <Change
          now={clicks.last_7_days}
          before={week}
          when={texts.stats.timeBefore('7d', 7, true)}
        />
      </div>
      <div>
        <dt>{t.links}</dt>
        <dd>{count(links.total)}</dd>
        <dd class="change">{t.states(count(links.active), count(links.inactive))}</dd>
      </div>
      {clicks.imported_clicks > 0 && (
        <div>
          <dt>{t.imported}</dt>
          <dd>{count(clicks.imported_clicks)}</dd>
          <dd class="change">{t.importedHint}</dd>
        </div>
      )}
    </dl>
  );
}

function queryOf(range: Range): StatsQuery {
  return {
    range,
    from: '',
    to: '',
    zone: ownZone(),
    audience: 'human',
    compares: false,
    interval: null,
    filters: {},
  };
}

/** Returns the previous period's clicks up to the same point in time. */
function useClicksBefore(range: Range): number | undefined {
  const before = useQuery(
    `stats:account:before:${range}:${ownZone()}`,
    () => {
      const [query, now] = [queryOf(range), new Date()];
      const span = spanBefore(spanOf(range, '', '', query.zone, now), query.zone, now);
      if (span === null) throw new RangeError(`There is no time before ${range}`);
      return ACCOUNT.ask(query, span, ['time'], { interval: 'month' });
    },
    { everyMs: EVERY_MS },
  );
  return before.value?.summary.total_clicks;
}

function emptyHint({ hot, clicks }: OverviewAnswer): string | null {
  if (hot.length > 0) return null;
  return clicks.imported_clicks > 0 ? texts.overview.onlyImported : texts.overview.noClicks;
}

function Month({ hint }: { hint: string | null }) {
  const month = useQuery(`stats:account:month:${ownZone()}`, () => {
    const query = queryOf('30d');
    return ACCOUNT.ask(query, spanOf('30d', '', '', query.zone, new Date()), ['time']);
  });
  const t = texts.overview;
  return (
    <section class="card month" aria-labelledby="month">
      <header class="card-head">
        <h2 id="month">{texts.overview.month}</h2>
        <Link to="/analytics">{texts.overview.toAnalytics}</Link>
      </header>
      <Problem failure={month.failure} retry={month.reload} />
      {month.value === undefined && !isFinal(month.failure) && <Skeleton kind="chart" />}
      {month.value !== undefined && (
        <>
          <Chart
            buckets="daily"
            rows={withPartials('daily', rowsOf(month.value, 'time'), { from: null, isOpen: true })}
          />
          <p class="hint zone-note">
            {t.people} {texts.stats.inZone(month.value.timezone)}
          </p>
          {hint !== null && <p class="hint">{hint}</p>}
        </>
      )}
    </section>
  );
}

function Hot({ overview: { hot, clicks } }: { overview: OverviewAnswer }) {
  return (
    <section class="card" aria-labelledby="hot">
      <h2 id="hot">{texts.overview.hot}</h2>
      {hot.length === 0 && (
        <p class="hint">
          {clicks.imported_clicks > 0 ? texts.overview.onlyImported : texts.overview.noHot}
        </p>
      )}
      <ol class="hot">
        {hot.map((link) => (
          <li key={link.id}>
            <div>
              <Link to={`/links/${link.id}`}>
                {link.title === null ? <ShortAddress of={link} /> : <bdi>{link.title}</bdi>}
              </Link>
              <span class="destination" title={link.long_url}>
                {link.title === null ? partsOf(link.long_url).host : <ShortAddress of={link} />}
              </span>
            </div>
            <span class="number" title={texts.overview.hotClicks}>
              {count(link.recent_clicks)}
            </span>
            <Copy text={link.short_url} what={bare(link.short_url)} kind="icon" />
          </li>
        ))}
      </ol>
    </section>
  );
}
