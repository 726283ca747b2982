import type { Account, EarlierAddress } from '../account/account';
import { DAY_MS } from '../../common/time';

export const HELD_DAYS = 7;
/** Higher than the number of changes that the limits allow while an address is held. */
const MAX_EARLIER = 100;

/** An account's current address, its earlier addresses, and all addresses that it holds. */
export interface Addresses {
  readonly email: string;
  readonly earlier: readonly EarlierAddress[];
  readonly taken: readonly string[];
}

/** @param undo digest of the undo link's token; null if the old address was never verified */
export function changeAddress(
  { email: old, earlier }: Pick<Account, 'email' | 'earlier'>,
  email: string,
  undo: string | null,
  now: Date,
): Addresses {
  const heldMs = undo === null ? 0 : HELD_DAYS * DAY_MS;
  const left = { email: old, changedAt: now, heldUntil: new Date(now.getTime() + heldMs), undo };
  return withTaken(email, [...earlier, left], now);
}

/** Restores the address in the link. Links and addresses from later changes become invalid. */
export function undoChange(
  { email: present, earlier }: Pick<Account, 'email' | 'earlier'>,
  undo: string,
  now: Date,
): (Addresses & { readonly changedAt: Date }) | null {
  const at = earlier.findIndex((each) => each.undo === undo && each.heldUntil > now);
  const target = earlier[at];
  if (target === undefined) return null;
  const ended = { heldUntil: now, undo: null };
  const remaining = [
    ...earlier.slice(0, at),
    ...earlier.slice(at).map((each) => ({ ...each, ...ended })),
    { email: present, changedAt: now, ...ended },
  ];
  return { ...withTaken(target.email, remaining, now), changedAt: target.changedAt };
}

function withTaken(email: string, all: readonly EarlierAddress[], now: Date): Addresses {
  const earlier = all.slice(-MAX_EARLIER);
  const held = earlier.filter(({ heldUntil }) => heldUntil > now);
  return { email, earlier, taken: [...new Set([email, ...held.map((each) => each.email)])] };
}
