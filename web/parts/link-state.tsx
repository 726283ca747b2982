import type { Schemas } from '../api/client';
import { dateTime } from '../format';
import { texts } from '../texts';

type LinkItem = Schemas['LinkItemResponse'];

export function LinkState({ link }: { link: LinkItem }) {
  const name = isScheduled(link) ? 'scheduled' : link.status.toLowerCase();
  return (
    <span class={`state ${name}`} title={link.blocked?.reason}>
      {wordFor(link)}
    </span>
  );
}

/** Whether visitors are not redirected only because the link has not started yet. */
export function isScheduled({
  starts_at,
  status,
}: Pick<LinkItem, 'starts_at' | 'status'>): boolean {
  return status !== 'BLOCKED' && starts_at !== null && starts_at * 1000 > Date.now();
}

/** Whether the link can be paused, because it redirects visitors now or will once it starts. */
export function isOn(link: LinkItem): boolean {
  return link.status === 'ACTIVE' || isScheduled(link);
}

function wordFor(link: LinkItem): string {
  const { status, expire_after, max_clicks, total_clicks } = link;
  if (status !== 'INACTIVE') return texts.states[status];
  if (isScheduled(link)) return texts.states.scheduled;
  if (expire_after !== null && expire_after * 1000 <= Date.now()) return texts.states.expired;
  if (max_clicks !== null && total_clicks >= max_clicks) return texts.states.usedUp;
  return texts.states.INACTIVE;
}

export function expiryText(expireAfter: number): string {
  const at = new Date(expireAfter * 1000);
  return at.getTime() > Date.now()
    ? texts.link.closes(dateTime(at))
    : texts.link.closed(dateTime(at));
}
