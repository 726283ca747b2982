/** Something that is stored in two places and does not agree, or that should not be there. */
export interface Difference {
  /** The link it is about: 24 hex characters. */
  linkId: string;
  /** What is wrong, in words that name the field or the block. */
  what: string;
}

export function differs(linkId: string, field: string, stored: unknown, counted: unknown) {
  return { linkId, what: `${field} is ${textOf(stored)}, counted ${textOf(counted)}` };
}

function textOf(value: unknown): string {
  return value instanceof Date ? value.toISOString() : String(value);
}
