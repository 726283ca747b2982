import type { ImportedCountsRepository } from '../../stores/imported-counts/imported-counts.repository';
import type { LinkReads } from '../../stores/links/link-reads.repository';

/**
 * Call after counts are stored. Deletes the counts of links that were deleted meanwhile, or whose
 * clicks were: each deletion stores its mark first, so a later one deletes the counts itself.
 * Returns true if a link's clicks were deleted.
 */
export async function dropLostCounts(
  links: Pick<LinkReads, 'clearedAmong' | 'missing'>,
  counts: Pick<ImportedCountsRepository, 'drop'>,
  ownerId: string,
  linkIds: readonly string[],
): Promise<boolean> {
  const cleared = await links.clearedAmong(linkIds);
  const lost = [...cleared, ...(await links.missing(linkIds))];
  if (lost.length > 0) await counts.drop(ownerId, lost);
  return cleared.size > 0;
}
