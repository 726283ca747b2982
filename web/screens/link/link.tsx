import { useEffect, useState } from 'preact/hooks';
import { api, bodyOf, type Schemas } from '../../api/client';
import { features } from '../../data/first-answer';
import { useQuery } from '../../data/query';
import { bare, count, dateTime } from '../../format';
import { Clicks } from '../../parts/clicks';
import { Copy } from '../../parts/copy';
import { Dialog } from '../../parts/dialog';
import { Empty } from '../../parts/empty';
import { Icon } from '../../parts/icons';
import { expiryText, isScheduled, LinkState } from '../../parts/link-state';
import { WayFacts } from '../../parts/link-ways';
import { Share } from '../../parts/share';
import { Problem } from '../../parts/problem';
import { Skeleton } from '../../parts/skeleton';
import { TagChips } from '../../parts/tags';
import { Link as ScreenLink, usePlace, withChanges } from '../../router';
import { Statistics } from '../../stats/statistics';
import { linkSubject } from '../../stats/subject';
import { texts } from '../../texts';
import { LinkSettings } from './link-settings';
import { QrCode } from './qr-code';

type LinkItem = Schemas['LinkItemResponse'];

const VIEWS = ['settings', 'rules'] as const;

export default function LinkScreen({ id }: { readonly id: string }) {
  const { search } = usePlace();
  const found = useQuery(
    `link:${id}`,
    () => bodyOf(api.GET('/api/v1/urls/{url_id}', { params: { path: { url_id: id } } })),
    { everyMs: 30_000 },
  );
  const link = found.value;
  const name = link === undefined ? undefined : bare(link.short_url);
  useEffect(() => {
    // The title distinguishes tabs, bookmarks and printouts.
    if (name !== undefined) document.title = `${name} · ${features.site_name}`;
  }, [name]);
  const view = VIEWS.find((each) => each === search.get('view')) ?? null;
  return (
    <>
      <p class="crumb">
        <ScreenLink to="/links">
          <Icon name="back" /> {texts.nav.links}
        </ScreenLink>
      </p>
      {/* Rendered before the link is loaded, because the heading gets the focus when the screen opens. */}
      <div class="link-name">
        <h1 tabIndex={-1}>{name ?? texts.link.title}</h1>
        {link !== undefined && <LinkState link={link} />}
      </div>
      {link === undefined ? (
        <Unavailable failure={found.failure} reload={found.reload} />
      ) : (
        <>
          {link.blocked && <p class="notice">{texts.link.blocked(link.blocked.reason)}</p>}
          <Head link={link} />
          <Problem failure={found.failure} retry={found.reload} />
          <Views id={id} search={search} shown={view} />
          {view !== null ? (
            <LinkSettings link={link} view={view} />
          ) : (
            <Statistics
              subject={linkSubject(link)}
              whenEmpty={hasNoClicks(link) ? <NoClicks link={link} /> : undefined}
            />
          )}
        </>
      )}
    </>
  );
}

interface ViewsProps {
  readonly id: string;
  readonly search: URLSearchParams;
  readonly shown: (typeof VIEWS)[number] | null;
}

function Views({ id, search, shown }: ViewsProps) {
  const t = texts.link;
  const names = { settings: t.editView, rules: texts.ways.title };
  return (
    <nav class="views" aria-label={t.views}>
      {[null, ...VIEWS].map((view) => (
        <ScreenLink
          key={view}
          to={`/links/${id}`}
          search={withChanges(search, { view })}
          aria-current={view === shown ? 'page' : undefined}
        >
          {view === null ? t.statistics : names[view]}
        </ScreenLink>
      ))}
    </nav>
  );
}

function Unavailable({ failure, reload }: Pick<ReturnType<typeof useQuery>, 'failure' | 'reload'>) {
  if (failure === null) return <Skeleton rows={6} />;
  // Another account's link looks like a missing link.
  if (![400, 403, 404].includes(failure.status))
    return <Problem failure={failure} retry={reload} />;
  return (
    <Empty icon="links" title={texts.link.unknown}>
      <ScreenLink class="button" to="/links">
        {texts.link.toAll}
      </ScreenLink>
    </Empty>
  );
}

/** Whether the link has neither clicks nor imported clicks. */
function hasNoClicks({ total_clicks: clicks, imported_clicks: before }: LinkItem): boolean {
  return clicks === 0 && before === undefined;
}

function Head({ link }: { link: LinkItem }) {
  const [showsCode, setShowsCode] = useState(false);
  return (
    <header class="link-head">
      {link.title !== null && (
        <p class="title" dir="auto">
          {link.title}
        </p>
      )}
      <p class="destination">
        <a href={link.long_url} target="_blank" rel="noreferrer nofollow">
          {link.long_url}
        </a>
      </p>
      <ul class="facts">
        <WayFacts link={link}>
          {(link.imported_clicks ?? 0) > 0 && (
            <li>
              <Clicks isNamed recorded={link.total_clicks} imported={link.imported_clicks} />
            </li>
          )}
          {link.max_clicks !== null && (
            <li>
              {(link.count_bots ? texts.link.clicksOf : texts.link.clicksOfPeople)(
                count(link.total_clicks),
                count(link.max_clicks),
              )}
            </li>
          )}
          {link.expire_after !== null && <li>{expiryText(link.expire_after)}</li>}
          {link.clicks_deleted_at !== undefined && (
            <li>{texts.deleteClicks.since(dateTime(new Date(link.clicks_deleted_at)))}</li>
          )}
        </WayFacts>
        {link.password_set && <li>{texts.links.hasPassword}</li>}
        {link.block_bots && <li>{texts.link.blocksBots}</li>}
        <li>{link.private_stats ? texts.link.privateStats : texts.link.publicStats}</li>
      </ul>
      <TagChips names={link.tags} isWhole />
      {link.note !== null && (
        <p class="note" dir="auto">
          {link.note}
        </p>
      )}
      <div class="actions">
        <Copy text={link.short_url} what={bare(link.short_url)} class="" />
        <Share url={link.short_url} />
        <button type="button" class="quiet" onClick={() => setShowsCode(true)}>
          <Icon name="qr" /> {texts.link.qr}
        </button>
        <a
          class="button quiet"
          href={link.short_url}
          target="_blank"
          rel="noreferrer"
          title={`${texts.link.open} ${texts.link.openCounts}`}
        >
          <Icon name="open" /> {texts.link.open}
        </a>
        <a class="button quiet" href={`${link.short_url}+`} target="_blank" rel="noreferrer">
          <Icon name="eye" /> {texts.link.preview}
        </a>
      </div>
      {showsCode && (
        <Dialog title={texts.qr.title} close={() => setShowsCode(false)}>
          <QrCode link={link} />
        </Dialog>
      )}
    </header>
  );
}

function NoClicks({ link }: { link: LinkItem }) {
  const closed = isScheduled(link) ? texts.link.scheduledHint : texts.link.closedHint;
  return (
    <Empty icon="analytics" title={texts.link.noClicks}>
      <p>{link.status === 'ACTIVE' ? texts.link.noClicksHint : closed}</p>
      {link.status === 'ACTIVE' && (
        <Copy text={link.short_url} what={bare(link.short_url)} class="" />
      )}
    </Empty>
  );
}
