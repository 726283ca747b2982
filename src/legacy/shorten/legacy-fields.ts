import { ALIAS_LENGTH, cutAlias } from '../../links/making/alias';
import { isComposedWell, LINK_PASSWORD_LENGTH } from '../../links/making/link-password';
import type { TextInput } from '../../common/http/text-input';
import type { LegacyRequest } from '../request/legacy-request';
import { LegacyError } from '../request/legacy.errors';
import {
  AliasRefusedError,
  ExpiresInRefusedError,
  LinkPasswordRefusedError,
  MaxClicksRefusedError,
} from './legacy-shorten.errors';
import { normalizePassword } from '../../common/password';
import { typedAddress } from '../../common/typed-address';

/** Ten years. */
const MAX_LIFETIME_SECONDS = 315_360_000;

interface CommonLegacyFields {
  readonly password: string | null;
  readonly maxClicks: number | null;
  /** Unix seconds. */
  readonly expireAfter: number | null;
  readonly blockBots: boolean;
}

/** @throws LinkPasswordRefusedError, MaxClicksRefusedError, ExpiresInRefusedError */
export function commonLegacyFields(input: TextInput): CommonLegacyFields {
  return {
    password: requestedPassword(input('password')),
    maxClicks: requestedMaxClicks(input('max-clicks')),
    expireAfter: requestedExpiry(input('expires-in')),
    blockBots: isOn(input('block-bots')),
  };
}

/** Long aliases are truncated for programs (docs/contract.md#13.1) but rejected for users. */
export function refuseLongAlias(alias: string): void {
  const { max } = ALIAS_LENGTH;
  if (alias.length <= max) return;
  const message = `The alias has ${alias.length} characters, but at most ${max} are allowed`;
  throw new AliasRefusedError(cutAlias(alias), message);
}

/** Programs get the first error (docs/contract.md#13.1). The form shows all errors. */
export async function checkAll(
  { input, wantsJson }: LegacyRequest,
  checks: readonly (() => Promise<void>)[],
): Promise<void> {
  const common = [
    () => requestedPassword(input('password')),
    () => requestedMaxClicks(input('max-clicks')),
    () => requestedExpiry(input('expires-in')),
  ];
  const refusals: LegacyError[] = [];
  for (const check of [...checks, ...common]) {
    try {
      await check();
    } catch (error) {
      if (wantsJson || !(error instanceof LegacyError)) throw error;
      refusals.push(error);
    }
  }
  const [first, ...others] = refusals;
  if (first === undefined) return;
  first.others = others;
  throw first;
}

/** Returns true if the field is present, unless its value means no. */
export function isOn(value: string | null): boolean {
  return value !== null && !/^(?:false|0|off|no)$/i.test(value.trim());
}

/** Programs send exact URLs; users may omit the scheme. */
export function requestedUrl({ input, wantsJson }: LegacyRequest): string | null {
  const url = input('url');
  return url === null || wantsJson ? url : typedAddress(url);
}

function requestedPassword(text: string | null): string | null {
  if (text === null) return null;
  const password = normalizePassword(text);
  const { min, max } = LINK_PASSWORD_LENGTH;
  const fits = password.length >= min && password.length <= max;
  if (!fits || !isComposedWell(password)) throw new LinkPasswordRefusedError();
  return password;
}

function requestedMaxClicks(text: string | null): number | null {
  if (text === null) return null;
  const number = /^\d+$/.test(text) ? Number(text) : NaN;
  if (!Number.isSafeInteger(number) || number < 1) throw new MaxClicksRefusedError();
  return number;
}

/** The field is a duration, because the form does not know the user's time zone. */
function requestedExpiry(seconds: string | null): number | null {
  if (seconds === null) return null;
  const lifetime = /^\d{1,9}$/.test(seconds) ? Number(seconds) : 0;
  if (lifetime < 1 || lifetime > MAX_LIFETIME_SECONDS) throw new ExpiresInRefusedError();
  // Rounds up, so that a link with the shortest duration does not expire immediately.
  return Math.ceil(Date.now() / 1000) + lifetime;
}
