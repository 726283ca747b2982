import type { PipelineStage } from 'mongoose';
import type { LinkChange } from './link-change';

type Expression = string | object;
type SetStage = PipelineStage.Set;

/** How long a link that gets its first limit gives out no slots, unless it is settled earlier. */
export const QUOTA_ACTIVATION_MS = 5000;

/** A value as it is: texts that start with `$`, as password hashes do, are not field names. */
const literal = (value: unknown): Expression => ({ $literal: value });
const USED: Expression = { $add: ['$slots_taken', '$open_clicks'] };
/** ACTIVE, or closed by its limit: not switched off by its owner. */
const NOT_SWITCHED_OFF: Expression = { $or: [{ $eq: ['$status', 'ACTIVE'] }, '$closed_by_limit'] };

/**
 * The change as one update of the database, judged against what the link is at that moment: its
 * used slots, its status, its limit. `updated_at` moves only when something becomes different, or
 * always with `touch`.
 */
export function changePipeline(change: LinkChange, now: Date, touch: boolean): SetStage[] {
  const values = valuesOf(change);
  const differs = Object.entries(values).map(([field, value]) => ({ $ne: [`$${field}`, value] }));
  const state = stateOf(change);
  const statusMoves = { $ne: ['$status', state.status] };
  return [
    {
      $set: {
        ...values,
        ...state,
        updated_at: touch
          ? literal(now)
          : { $cond: [{ $or: [...differs, statusMoves] }, literal(now), '$updated_at'] },
        touched_at: '$$NOW',
      },
    },
  ];
}

/** Opens the slots of a link that has settled, or closes it when its clicks have reached the limit. */
export function quotaActivatedPipeline(keepStatus: boolean): SetStage[] {
  const limited = { $ne: ['$max_clicks', null] };
  const active = { $eq: ['$status', 'ACTIVE'] };
  const closes = keepStatus
    ? literal(false)
    : { $and: [limited, active, { $gte: [USED, '$max_clicks'] }] };
  return [
    {
      $set: {
        slots_from: literal(null),
        status: { $cond: [closes, 'INACTIVE', '$status'] },
        closed_by_limit: { $cond: [closes, true, '$closed_by_limit'] },
        touched_at: '$$NOW',
      },
    },
  ];
}

function valuesOf(change: LinkChange): Record<string, Expression> {
  const fields: [string, unknown][] = [
    ['long_url', change.longUrl],
    ['alias', change.alias],
    ['password_hash', change.passwordHash],
    ['max_clicks', change.maxClicks],
    ['expire_after', change.expireAfter],
    ['block_bots', change.blockBots],
    ['private_stats', change.privateStats],
  ];
  const given = fields.filter(([, value]) => value !== undefined);
  return Object.fromEntries(given.map(([field, value]) => [field, literal(value)]));
}

/** docs/contract.md#6.3 and 7: status, who closed the link, and from when on it gives out slots. */
function stateOf(
  change: LinkChange,
): Record<'status' | 'closed_by_limit' | 'slots_from', Expression> {
  const { maxClicks: limit, status } = change;
  const limits = limit === undefined ? null : limitMoves(limit);
  if (status !== undefined) {
    const slots_from = limits?.slots_from ?? '$slots_from';
    return { status: literal(status), closed_by_limit: literal(false), slots_from };
  }
  return (
    limits ?? { status: '$status', closed_by_limit: '$closed_by_limit', slots_from: '$slots_from' }
  );
}

function limitMoves(limit: number | null): ReturnType<typeof stateOf> {
  const moves = { $ne: ['$max_clicks', literal(limit)] };
  const reached = limit === null ? literal(false) : { $gte: [USED, limit] };
  const closes = { $and: [moves, reached, NOT_SWITCHED_OFF] };
  // What is not reached by a limit that moved was raised or removed.
  const opens = { $and: [moves, '$closed_by_limit'] };
  const choose = (closed: unknown, open: unknown, otherwise: string): Expression => ({
    $cond: [closes, closed, { $cond: [opens, open, otherwise] }],
  });
  return {
    status: choose('INACTIVE', 'ACTIVE', '$status'),
    closed_by_limit: choose(true, false, '$closed_by_limit'),
    slots_from:
      limit === null
        ? literal(null)
        : {
            $cond: [
              { $eq: ['$max_clicks', null] },
              { $add: ['$$NOW', QUOTA_ACTIVATION_MS] },
              '$slots_from',
            ],
          },
  };
}
