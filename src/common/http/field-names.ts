import { UnprocessableError } from '../errors';

/** Names that other services, and people, use for the same thing (docs/contract.md#0). */
const SYNONYMS: readonly (readonly string[])[] = [
  ['expire_after', 'expires_at', 'expiry', 'expiration', 'expires'],
  ['max_clicks', 'max_visits'],
  ['long_url', 'link', 'target'],
  ['alias', 'custom_alias', 'slug'],
  ['search', 'q'],
  ['title', 'name'],
  ['note', 'notes', 'comment', 'comments'],
  ['tags', 'tag', 'labels'],
  ...['source', 'medium', 'campaign', 'term', 'content'].map((name) => [name, `utm_${name}`]),
].map((names) => names.map(bare));

/** How many letters a slip gets wrong at most. */
const NEAR = 2;

/**
 * Refuses names that are not listed but were surely meant to be one that is, so that a slip never
 * passes for success; other unknown names, and nulls, are let through.
 *
 * @param place the field that the names stand in, with a dot
 * @throws UnprocessableError with the name as its field and the right one in its hint
 */
export function refuseMisnamed(given: object, listed: Iterable<string>, place = ''): void {
  const fields = [...listed];
  const slips = Object.entries(given).flatMap(([name, value]) => {
    const meant = value === null || fields.includes(name) ? undefined : meantBy(name, fields);
    return meant === undefined ? [] : [{ name, meant }];
  });
  if (slips.length === 0) return;
  throw new UnprocessableError(
    slips.map(({ name, meant }) => ({
      field: place + name,
      error: `is not known here; use ${meant}`,
    })),
    slips.map(({ name, meant }) => `Use ${meant} instead of ${name}`).join('. '),
  );
}

/**
 * Refuses names that belong into a parameter and would be without effect beside it.
 *
 * @param instead what is to be written, by the name
 * @throws UnprocessableError with the name as its field and what is right in its hint
 */
export function refuseMisplaced(given: object, instead: Readonly<Record<string, string>>): void {
  const names = Object.keys(given).filter((name) => Object.hasOwn(instead, name));
  if (names.length === 0) return;
  throw new UnprocessableError(
    names.map((field) => ({ field, error: 'is no parameter here' })),
    names.map((name) => `Use ${instead[name]} instead of ${name}`).join('. '),
  );
}

/** The listed name that somebody meant who wrote this one; undefined when there is none. */
function meantBy(name: string, fields: readonly string[]): string | undefined {
  const written = bare(name);
  const group = SYNONYMS.find((names) => names.includes(written)) ?? [];
  const near = fields
    .map((field) => ({ field, distance: editDistance(written, bare(field)) }))
    .filter(
      ({ field, distance }) => distance <= NEAR && isSimilarName(written, bare(field), distance),
    )
    .sort((a, b) => a.distance - b.distance);
  return near[0]?.field ?? fields.find((field) => group.includes(bare(field)));
}

/** Short names need most of their letters right, or all of them there: `kl` is no slip of `url`. */
function isSimilarName(written: string, candidate: string, distance: number): boolean {
  const letters = (name: string): string => Array.from(name).sort().join('');
  const length = Math.max(written.length, candidate.length);
  return 2 * distance < length || letters(written) === letters(candidate);
}

/** Case, hyphens and underscores make no other name. */
function bare(name: string): string {
  return name.replace(/[-_]/g, '').toLowerCase();
}

/** Letters to be put in, taken out or replaced to make one text of the other; Infinity when many. */
function editDistance(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > NEAR) return Infinity;
  let above = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = (above[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      row.push(Math.min(replaced, (above[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1));
    }
    above = row;
  }
  return above[b.length] ?? Infinity;
}
