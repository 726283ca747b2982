import { isComposedWell, LINK_PASSWORD_LENGTH } from '../../links/link-password';
import type { LegacyInput } from '../legacy-input';
import { LinkPasswordRefusedError, MaxClicksRefusedError } from './shorten.errors';

/** What both v0 ways of shortening take beside destination and alias (contract 13.1). */
export interface CommonLegacyFields {
  readonly password: string | null;
  readonly maxClicks: number | null;
  readonly blockBots: boolean;
}

/** Checks password, then max-clicks; throws LinkPasswordRefusedError, MaxClicksRefusedError. */
export function commonLegacyFields(input: LegacyInput): CommonLegacyFields {
  return {
    password: wishedPassword(input('password')),
    maxClicks: wishedMaxClicks(input('max-clicks')),
    blockBots: input('block-bots') !== null,
  };
}

function wishedPassword(password: string | null): string | null {
  if (password === null) return null;
  const { min, max } = LINK_PASSWORD_LENGTH;
  const fits = password.length >= min && password.length <= max;
  if (!fits || !isComposedWell(password)) throw new LinkPasswordRefusedError();
  return password;
}

function wishedMaxClicks(text: string | null): number | null {
  if (text === null) return null;
  const number = /^\d+$/.test(text) ? Number(text) : NaN;
  if (!Number.isSafeInteger(number) || number < 1) throw new MaxClicksRefusedError();
  return number;
}
