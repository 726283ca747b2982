import { api, bodyOf, type Schemas } from '../api/client';
import { texts } from '../texts';
import { outdate } from './query';
import { say } from './toasts';

type Status = Schemas['UpdateStatusDto']['status'];

export async function setStatus(
  { id, alias }: { readonly id: string; readonly alias: string },
  status: Status,
): Promise<void> {
  const params = { path: { url_id: id } };
  await bodyOf(api.PATCH('/api/v1/urls/{url_id}/status', { params, body: { status } }));
  outdate(`link:${id}`, 'links', 'overview');
  say(status === 'ACTIVE' ? texts.link.resumed(alias) : texts.link.paused(alias));
}
