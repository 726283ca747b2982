import { RuleError, ShapeError } from '../core/errors';
import { isReserved } from './reserved-aliases';

export const ALIAS_LENGTH = { min: 3, max: 16 } as const;
const FORM = /^[A-Za-z0-9_-]+$/;

/** Why an alias cannot be had, in the order of contract 5.5. */
export type AliasObjection = 'length' | 'format' | 'reserved';

/** Longer aliases are cut, not refused (contract 5.1). */
export function cutAlias(text: string): string {
  return text.slice(0, ALIAS_LENGTH.max);
}

/** The first objection to an alias as it stands, null when there is none. */
export function aliasObjection(alias: string): AliasObjection | null {
  if (alias.length < ALIAS_LENGTH.min || alias.length > ALIAS_LENGTH.max) return 'length';
  if (!FORM.test(alias)) return 'format';
  return isReserved(alias) ? 'reserved' : null;
}

/** Checks the shape of a wished alias and cuts it: 422 when it is too short or has other characters. */
export function shapeAlias(text: string): string {
  const alias = cutAlias(text);
  if (alias.length < ALIAS_LENGTH.min) {
    throw ShapeError.of('alias', `must have at least ${ALIAS_LENGTH.min} characters`);
  }
  if (!FORM.test(alias)) {
    throw ShapeError.of('alias', 'may contain only letters, digits, hyphens and underscores');
  }
  return alias;
}

/** 400 for a reserved alias (contract 5.3). */
export function refuseReserved(alias: string): void {
  if (isReserved(alias)) throw new RuleError(`The alias ${alias} is reserved`, 'alias');
}
