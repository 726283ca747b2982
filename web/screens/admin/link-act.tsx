import { api, bodyOf, type Schemas } from '../../api/client';
import { labelOf } from '../../data/domains';
import { inBatches } from '../../data/link-changes';
import { NOTHING, type Selection, selectionOf } from '../../data/selection';
import { count } from '../../format';
import { ActDialog } from './act-dialog';
import { HostCount } from './hosts';
import { words } from './texts';

export type AdminLink = Schemas['AdminLinkResponse'];
export type LinkActName = 'block' | 'unblock' | 'delete';

/** Maximum number of hosts whose links are counted. */
const MAX_HOSTS = 3;
const t = words.links;

interface LinkActProps {
  readonly name: LinkActName;
  readonly links: readonly AdminLink[];
  /** Called with the links that could not be changed. Absent for a single row's action. */
  readonly keep?: (failed: Selection) => void;
  readonly close: () => void;
}

/** Changes one link, or all selected links. */
export function LinkAct({ name, links, keep, close }: LinkActProps) {
  const [link] = links;
  if (link === undefined) return null;
  const title = keep === undefined ? labelOf(link) : t.selected(count(links.length), links.length);
  const clicks = links.reduce((sum, { total_clicks: each }) => sum + each, 0);
  const run = async (reason: string): Promise<boolean> => {
    if (keep === undefined) {
      await changeOne(name, link.id, reason);
      return true;
    }
    const reasons = await inBatches(links, (ids) => changeMany(name, ids, reason));
    const failed = links.filter(({ id }) => reasons.has(id));
    keep(failed.length === 0 ? NOTHING : selectionOf(failed, reasons));
    return failed.length === 0;
  };
  return (
    <ActDialog
      title={t.titles[name](title)}
      act={t[name]}
      hint={keep === undefined ? t.hints[name] : t.manyHints[name]}
      takesReason={name === 'block' ? 'must' : 'may'}
      run={run}
      done={t.done[name](title)}
      close={close}
      isBad={name !== 'unblock'}
      counts={
        <>
          {name === 'delete' && <li>{t.deletedClicks(count(clicks), clicks)}</li>}
          {name === 'block' &&
            hostsOf(links).map((host) => (
              <li key={host}>
                <HostCount host={host} />
              </li>
            ))}
        </>
      }
    />
  );
}

function hostsOf(links: readonly AdminLink[]): readonly string[] {
  const hosts = new Set(links.flatMap(({ destination_hosts: each }) => each));
  return hosts.size > MAX_HOSTS ? [] : [...hosts];
}

async function changeOne(name: LinkActName, id: string, reason: string): Promise<void> {
  const params = { path: { id } };
  const body = { reason };
  const optional = reason === '' ? {} : body;
  if (name === 'block') await bodyOf(api.POST('/api/v1/admin/urls/{id}/block', { params, body }));
  else if (name === 'unblock')
    await bodyOf(api.POST('/api/v1/admin/urls/{id}/unblock', { params, body: optional }));
  else await bodyOf(api.DELETE('/api/v1/admin/urls/{id}', { params, body: optional }));
}

function changeMany(name: LinkActName, ids: string[], reason: string) {
  if (name === 'block')
    return bodyOf(api.POST('/api/v1/admin/urls/bulk/block', { body: { ids, reason } }));
  const body = { ids, ...(reason === '' ? {} : { reason }) };
  return name === 'unblock'
    ? bodyOf(api.POST('/api/v1/admin/urls/bulk/unblock', { body }))
    : bodyOf(api.POST('/api/v1/admin/urls/bulk/delete', { body }));
}
