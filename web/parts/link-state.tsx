import type { Schemas } from '../api/client';
import { dateTime } from '../format';
import { texts } from '../texts';

type LinkItem = Schemas['LinkItemResponse'];

/** Whether visitors get through, and if not, why. */
export function LinkState({ link }: { link: LinkItem }) {
  return <span class={`state ${link.status.toLowerCase()}`}>{wordFor(link)}</span>;
}

function wordFor({ status, expire_after, max_clicks, total_clicks }: LinkItem): string {
  if (status === 'ACTIVE') return texts.states.ACTIVE;
  if (expire_after !== null && expire_after * 1000 <= Date.now()) return texts.states.expired;
  if (max_clicks !== null && total_clicks >= max_clicks) return texts.states.usedUp;
  return texts.states.INACTIVE;
}

/** `Closes 21 Nov 2026, 09:30 CET`. */
export function expiryText(expireAfter: number): string {
  const at = new Date(expireAfter * 1000);
  return at.getTime() > Date.now()
    ? texts.link.closes(dateTime(at))
    : texts.link.closed(dateTime(at));
}
