import type { Link } from './link';
import type { LinkRecord } from './link.schema';

export function toLink(record: Omit<LinkRecord, 'touched_at'>): Link {
  return {
    id: record._id.toHexString(),
    alias: record.alias,
    longUrl: record.long_url,
    ownerId: record.owner === null ? null : record.owner.toHexString(),
    generation: record.generation,
    createdAt: record.created_at,
    updatedAt: record.updated_at,
    status: record.status,
    closedByLimit: record.closed_by_limit,
    passwordHash: record.password_hash,
    maxClicks: record.max_clicks,
    usedClicks: record.slots_taken + record.open_clicks,
    quotaActiveFrom: record.slots_from,
    expireAfter: record.expire_after,
    blockBots: record.block_bots,
    privateStats: record.private_stats,
    totalClicks: record.total_clicks,
    lastClick: record.last_click,
  };
}
