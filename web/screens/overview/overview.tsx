import type { Schemas } from '../../api/client';
import { askOverview } from '../../api/overview';
import { useQuery } from '../../data/query';
import { bare, count, hostOf, ownZone } from '../../format';
import { Chart } from '../../parts/chart';
import { Copy } from '../../parts/copy';
import { Problem } from '../../parts/problem';
import { Skeleton } from '../../parts/skeleton';
import { Link } from '../../router';
import { spanOf } from '../../stats/span';
import { Change } from '../../stats/totals';
import { ACCOUNT, rowsOf } from '../../stats/subject';
import { texts } from '../../texts';
import { Attention } from './attention';
import { Checklist } from './checklist';
import { Shorten } from './shorten';

type OverviewAnswer = Schemas['OverviewResponse'];

/** The first screen: shorten, and what happened since yesterday. */
export default function Overview() {
  const found = useQuery('overview', askOverview, { everyMs: 30_000 });
  const overview = found.value;
  return (
    <>
      <h1 tabIndex={-1} class="unseen">
        {texts.nav.overview}
      </h1>
      <Shorten />
      <Problem failure={found.failure} retry={found.reload} />
      {overview === undefined && found.failure === null && <Skeleton rows={6} />}
      {overview !== undefined && (
        <>
          <Checklist overview={overview} />
          {overview.links.total > 0 && (
            <>
              <Figures overview={overview} />
              <div class="overview-grid">
                <div>
                  <Month hasClicks={overview.hot.length > 0} />
                  <Hot overview={overview} />
                </div>
                <Attention items={overview.attention} />
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
  return (
    <dl class="totals">
      <div>
        <dt>{t.today}</dt>
        <dd>{count(clicks.today)}</dd>
        <dd class="change">{t.yesterday(count(clicks.yesterday))}</dd>
      </div>
      <div>
        <dt>{t.week}</dt>
        <dd>{count(clicks.last_7_days)}</dd>
        <Change now={clicks.last_7_days} before={clicks.previous_7_days} />
      </div>
      <div>
        <dt>{t.links}</dt>
        <dd>{count(links.total)}</dd>
        <dd class="change">{t.states(count(links.active), count(links.inactive))}</dd>
      </div>
    </dl>
  );
}

function Month({ hasClicks }: { hasClicks: boolean }) {
  const month = useQuery(`stats:account:month:${ownZone}`, () => {
    const span = spanOf('30d', '', '', ownZone, new Date());
    const query = {
      range: '30d',
      from: '',
      to: '',
      zone: ownZone,
      audience: 'all',
      compares: false,
      filters: {},
    } as const;
    return ACCOUNT.ask(query, span, ['time']);
  });
  return (
    <section class="card month" aria-labelledby="month">
      <header class="card-head">
        <h2 id="month">{texts.overview.month}</h2>
        <Link to="/analytics">{texts.overview.toAnalytics}</Link>
      </header>
      <Problem failure={month.failure} retry={month.reload} />
      {month.value === undefined && month.failure === null && <Skeleton kind="chart" />}
      {month.value !== undefined && (
        <>
          <Chart buckets="daily" rows={rowsOf(month.value, 'time')} />
          {!hasClicks && <p class="hint">{texts.overview.noClicks}</p>}
        </>
      )}
    </section>
  );
}

function Hot({ overview: { hot } }: { overview: OverviewAnswer }) {
  return (
    <section class="card" aria-labelledby="hot">
      <h2 id="hot">{texts.overview.hot}</h2>
      {hot.length === 0 && <p class="hint">{texts.overview.noHot}</p>}
      <ol class="hot">
        {hot.map((link) => (
          <li key={link.id}>
            <div>
              <Link to={`/links/${link.id}`}>{link.alias}</Link>
              <span class="destination" title={link.long_url}>
                {hostOf(link.long_url)}
              </span>
            </div>
            <span class="number" title={texts.stats.clicks}>
              {count(link.total_clicks)}
            </span>
            <Copy text={link.short_url} what={bare(link.short_url)} kind="icon" />
          </li>
        ))}
      </ol>
    </section>
  );
}
