import { useQuery } from '../../data/query';
import { openNewLink } from '../../frame/shortcuts';
import { askOverview } from '../../api/overview';
import { Empty } from '../../parts/empty';
import { Icon } from '../../parts/icons';
import { Statistics } from '../../stats/statistics';
import { ACCOUNT } from '../../stats/subject';
import { texts } from '../../texts';

/** The clicks of all links. */
export default function Analytics() {
  const overview = useQuery('overview', askOverview);
  const hasNoLink = overview.value?.links.total === 0;
  return (
    <>
      <header class="screen-head">
        <h1 tabIndex={-1}>{texts.nav.analytics}</h1>
      </header>
      {hasNoLink ? (
        <Empty icon="analytics" title={texts.stats.noLinks}>
          <p>{texts.stats.noLinksHint}</p>
          <button type="button" onClick={openNewLink}>
            <Icon name="plus" /> {texts.links.create}
          </button>
        </Empty>
      ) : (
        <Statistics subject={ACCOUNT} />
      )}
    </>
  );
}
