import type { Schemas } from '../../api/client';
import { bare, count, dateTime } from '../../format';
import { Icon } from '../../parts/icons';
import { ShortAddress } from '../../parts/short-address';
import { Link } from '../../router';
import { texts } from '../../texts';

type Item = Schemas['OverviewResponse']['attention'][number];
type BlockedItem = Extract<Item, { kind: 'blocked' }>;
type ClosingItem = Exclude<Item, BlockedItem>;

/** Number of items to show. The rest are collapsed. */
const SHOWN = 5;

export function Attention({ items }: { items: readonly Item[] }) {
  const t = texts.overview.attention;
  return (
    <section class="card" aria-labelledby="attention">
      <h2 id="attention">{t.title}</h2>
      {items.length === 0 && (
        <p class="all-clear">
          <Icon name="check" /> {t.allClear}
        </p>
      )}
      <Rows items={items.slice(0, SHOWN)} />
      {items.length > SHOWN && (
        <details class="all-rows">
          <summary>{t.more(count(items.length - SHOWN))}</summary>
          <Rows items={items.slice(SHOWN)} />
        </details>
      )}
    </section>
  );
}

function Rows({ items }: { items: readonly Item[] }) {
  return (
    <ul class="rows">
      {items.map((item) => (
        <li key={'url_id' in item ? `${item.kind}:${item.url_id}` : item.kind}>
          {item.kind === 'blocked' ? <Blocked item={item} /> : <Closing item={item} />}
        </li>
      ))}
    </ul>
  );
}

function Closing({ item }: { item: ClosingItem }) {
  return (
    <div>
      <strong>
        <Link to={`/links/${item.url_id}`} search={new URLSearchParams({ view: 'settings' })}>
          <ShortAddress of={item} />
        </Link>
      </strong>
      <span class="hint">{textFor(item)}</span>
    </div>
  );
}

function Blocked({ item: { count: total, links } }: { item: BlockedItem }) {
  return (
    <div>
      <strong>
        <Link to="/links" search={new URLSearchParams({ status: 'BLOCKED' })}>
          {texts.overview.attention.kinds.blocked(count(total), total)}
        </Link>
      </strong>
      <span class="hint">{links.map(({ short_url }) => bare(short_url)).join(' · ')}</span>
    </div>
  );
}

function textFor({ kind, detail }: ClosingItem): string {
  const t = texts.overview.attention.kinds;
  if (kind === 'expires_soon')
    return t.expires_soon(dateTime(new Date((detail.expire_after ?? 0) * 1000)));
  return t.limit_near(count(detail.used_clicks ?? 0), count(detail.max_clicks ?? 0));
}
