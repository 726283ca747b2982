import type { Link, LinkChange } from '../stores/links/link';
import type { SourceLink } from './source-link';

/** The limits that a link of a source gets here. */
export interface ImportedLimits {
  readonly maxClicks: number | null;
  /** The source has used them up. */
  readonly isUsedUp: boolean;
}

/** Differences of an imported link from its source; without any, nothing is to be written. */
export interface ImportedLinkUpdate {
  readonly before: Link;
  readonly change: LinkChange;
  /** Null: its tags are as they should be. */
  readonly tagNames: readonly string[] | null;
}

/**
 * The change that makes an imported link as its source has it now (docs/contract.md#22.2). Fields that the
 * source does not tell stay as they are, and so does a link that its own limit has closed here, or
 * that has a password here.
 *
 * @param present names of the tags that it has
 */
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

/** Case tells no tags apart, and their order does not count. */
function tagsKey(names: readonly string[]): string {
  return names
    .map((name) => name.toLowerCase())
    .sort()
    .join('\n');
}
