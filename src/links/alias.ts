import { BadRequestError } from '../core/errors';
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

/** What is wrong with the shape of a wished alias, judged by its cut value; null when nothing is. */
export function aliasShapeProblem(text: string): string | null {
  const alias = cutAlias(text);
  if (alias.length < ALIAS_LENGTH.min) return `must have at least ${ALIAS_LENGTH.min} characters`;
  return FORM.test(alias) ? null : 'may contain only letters, digits, hyphens and underscores';
}

/** 400 for a reserved alias (contract 5.3). */
export function refuseReserved(alias: string): void {
  if (isReserved(alias)) throw new BadRequestError(`The alias ${alias} is reserved`, 'alias');
}
