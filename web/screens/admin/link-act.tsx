import { api, bodyOf, type Schemas } from '../../api/client';
import { labelOf } from '../../data/domains';
import { ActDialog } from './act-dialog';
import { words } from './texts';

export type AdminLink = Schemas['AdminLinkResponse'];
export type LinkActName = 'block' | 'unblock' | 'delete';

const t = words.links;

export function LinkAct(props: { name: LinkActName; link: AdminLink; close: () => void }) {
  const { name, link, close } = props;
  const params = { path: { id: link.id } };
  const run = async (reason: string): Promise<void> => {
    const body = { reason };
    const optional = reason === '' ? {} : body;
    if (name === 'block') await bodyOf(api.POST('/api/v1/admin/urls/{id}/block', { params, body }));
    else if (name === 'unblock')
      await bodyOf(api.POST('/api/v1/admin/urls/{id}/unblock', { params, body: optional }));
    else await bodyOf(api.DELETE('/api/v1/admin/urls/{id}', { params, body: optional }));
  };
  return (
    <ActDialog
      title={t.titles[name](labelOf(link))}
      act={t[name]}
      hint={t.hints[name]}
      takesReason={name === 'block' ? 'must' : 'may'}
      run={run}
      done={t.done[name](labelOf(link))}
      close={close}
      isBad={name === 'delete'}
    />
  );
}
