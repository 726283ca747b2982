import { useState } from 'preact/hooks';
import { api, bodyOf, type Schemas } from '../../api/client';
import { labelOf } from '../../data/domains';
import { Check } from '../../parts/form';
import { account } from '../../data/first-answer';
import { useStore } from '../../data/store';
import { count } from '../../format';
import { ActDialog } from './act-dialog';
import { HostCount } from './hosts';
import { useAccount } from './one-account';
import { words } from './texts';

export type Report = Schemas['AdminReportResponse'];
export type ReportActName = 'block' | 'dismiss';

const PAGE = 100;
/** Maximum number of pages to block. For more links, a blocklist entry is better. */
const MAX_PAGES = 10;
const t = words.reports;

interface ReportActProps {
  readonly name: ReportActName;
  readonly report: Report;
  readonly close: () => void;
}

/**
 * Closes a report: either dismisses the report, or blocks the link and optionally all links to its
 * hosts and the owner.
 */
export function ReportAct({ name, report, close }: ReportActProps) {
  const [hosts, setHosts] = useState<readonly string[]>([]);
  const [isWithOwner, setWithOwner] = useState(false);
  const { url } = report;
  const owner = useOwnerToSuspend(name === 'block' ? (url?.owner?.id ?? null) : null);
  const alias = url === null ? t.linkGone : labelOf(url);
  const params = { path: { id: report.id } };
  const run = async (reason: string): Promise<void> => {
    const body = reason === '' ? {} : { reason };
    if (name === 'dismiss') {
      await bodyOf(api.POST('/api/v1/admin/reports/{id}/dismiss', { params, body }));
      return;
    }
    // Closes the report last, so that the report stays open after a failure.
    const said = reason === '' ? reasonOf(report) : reason;
    // Suspends the owner first, because the API may refuse that, for example for the last admin.
    if (isWithOwner && owner !== null) await suspend(owner.id, said);
    for (const host of hosts) await blockHost(host, said);
    await bodyOf(api.POST('/api/v1/admin/reports/{id}/block', { params, body }));
  };
  return (
    <ActDialog
      title={name === 'block' ? t.blockTitle(alias) : t.dismissTitle(alias)}
      act={t[name]}
      {...(name === 'block' ? { hint: t.reasonHint } : {})}
      run={run}
      done={name === 'block' ? t.blocked(alias) : t.dismissed}
      close={close}
      isBad={name === 'block'}
      counts={
        name === 'block' &&
        url?.destination_hosts.map((host) => (
          <li key={host}>
            <HostCount host={host} />
          </li>
        ))
      }
    >
      {name === 'block' &&
        url?.destination_hosts.map((host) => (
          <Check
            key={host}
            label={t.alsoHost(host)}
            hint={t.alsoHostHint}
            checked={hosts.includes(host)}
            change={(isChosen) =>
              setHosts(isChosen ? [...hosts, host] : hosts.filter((each) => each !== host))
            }
          />
        ))}
      {owner !== null && (
        <Check
          label={t.alsoOwner(owner.email)}
          hint={t.alsoOwnerHint(count(owner.links), owner.links)}
          checked={isWithOwner}
          change={setWithOwner}
        />
      )}
    </ActDialog>
  );
}

/** Returns the owner, unless it is already suspended or the admin's own account. */
function useOwnerToSuspend(id: string | null): Schemas['AdminAccountResponse'] | null {
  const isOwn = useStore(account)?.id === id;
  const { value } = useAccount(isOwn ? null : id);
  return value?.suspended === null ? value : null;
}

async function suspend(id: string, reason: string): Promise<void> {
  const params = { path: { id } };
  await bodyOf(api.POST('/api/v1/admin/accounts/{id}/suspend', { params, body: { reason } }));
}

/** Returns the most frequent reason in the reports. */
function reasonOf({ reasons }: Report): string {
  const [most = ''] = Object.entries(reasons).sort(([, a], [, b]) => b - a)[0] ?? [];
  return t.reasons[most] ?? most;
}

/** Blocks all unblocked links to a host. */
async function blockHost(host: string, reason: string): Promise<void> {
  for (let page = 1; page <= MAX_PAGES; page++) {
    const query = { host, page, pageSize: PAGE };
    const { items, hasNext } = await bodyOf(api.GET('/api/v1/admin/urls', { params: { query } }));
    const ids = items.filter(({ blocked }) => blocked === undefined).map(({ id }) => id);
    if (ids.length > 0)
      await bodyOf(api.POST('/api/v1/admin/urls/bulk/block', { body: { ids, reason } }));
    if (!hasNext) return;
  }
}
