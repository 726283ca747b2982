import type { Link, LinkChange } from '../../stores/links/link';
import type { SourceLink } from '../reading/source-link';

export interface ImportedLimits {
  readonly maxClicks: number | null;
  /** The source's clicks have exhausted them. */
  readonly isUsedUp: boolean;
}

/** Changes of an imported link; without any, the link is not written. */
export interface ImportedLinkUpdate {
  readonly before: Link;
  readonly change: LinkChange;
  /** Null: tags are unchanged. */
  readonly tagNames: readonly string[] | null;
}

/** Keeps fields missing in the source, passwords set here, and links closed by their limit. */
export function decideUpdate(
  before: Link,
  link: SourceLink,
  limits: ImportedLimits,
  tags: { readonly present: readonly string[]; readonly wanted: readonly string[] },
): ImportedLinkUpdate | null {
  const tells = (field: string): boolean => link.untold?.includes(field) !== true;
  const isExpiring = link.expireAfter?.getTime() !== before.expireAfter?.getTime();
  const status = statusAfter(before, link, limits, tells('archived'));
  const change: LinkChange = {
    ...(link.longUrl !== before.longUrl && { longUrl: link.longUrl }),
    ...(tells('title') && link.title !== before.title && { title: link.title }),
    ...(tells('note') && link.note !== before.note && { note: link.note }),
    ...(tells('expire_after') && isExpiring && { expireAfter: link.expireAfter }),
    ...(tells('max_clicks') &&
      limits.maxClicks !== before.maxClicks && { maxClicks: limits.maxClicks }),
    ...(status !== before.status && { status }),
  };
  const isTagged = !tells('tags') || tagsKey(tags.present) === tagsKey(tags.wanted);
  if (isTagged && Object.keys(change).length === 0) return null;
  return { before, change, tagNames: isTagged ? null : tags.wanted };
}

function statusAfter(
  before: Link,
  link: SourceLink,
  limits: ImportedLimits,
  isTold: boolean,
): Link['status'] {
  const isProtected = link.isProtected && before.passwordHash === null;
  if (link.isArchived || isProtected || limits.isUsedUp) return 'INACTIVE';
  return isTold && !before.closedByLimit ? 'ACTIVE' : before.status;
}

function tagsKey(names: readonly string[]): string {
  return names
    .map((name) => name.toLowerCase())
    .sort()
    .join('\n');
}
