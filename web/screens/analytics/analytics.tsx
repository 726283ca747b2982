import { useQuery } from '../../data/query';
import { openNewLink } from '../../frame/shortcuts';
import { askOverview } from '../../api/overview';
import { Empty } from '../../parts/empty';
import { Icon } from '../../parts/icons';
import { ScreenHead } from '../../parts/screen-head';
import { Link, usePlace } from '../../router';
import { Statistics } from '../../stats/statistics';
import { ACCOUNT } from '../../stats/subject';
import { texts } from '../../texts';
import { Compare } from './compare';

export default function Analytics() {
  const overview = useQuery('overview', askOverview);
  const compares = usePlace().search.get('view') === 'compare';
  const hasNoLink = overview.value?.links.total === 0;
  return (
    <>
      <ScreenHead title={texts.nav.analytics} />
      {!hasNoLink && (
        <nav class="views" aria-label={texts.stats.views}>
          <Link to="/analytics" aria-current={compares ? undefined : 'page'}>
            {texts.stats.allLinks}
          </Link>
          <Link
            to="/analytics"
            search={new URLSearchParams({ view: 'compare' })}
            aria-current={compares ? 'page' : undefined}
          >
            {texts.compare.title}
          </Link>
        </nav>
      )}
      {hasNoLink ? (
        <Empty icon="analytics" title={texts.stats.noLinks}>
          <p>{texts.stats.noLinksHint}</p>
          <button type="button" onClick={openNewLink}>
            <Icon name="plus" /> {texts.links.create}
          </button>
        </Empty>
      ) : compares ? (
        <Compare />
      ) : (
        <Statistics subject={ACCOUNT} />
      )}
    </>
  );
}
