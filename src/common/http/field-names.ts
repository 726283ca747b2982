import { UnprocessableError } from '../errors';

/** Names that other services and users use for the same field (docs/contract.md#0). */
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

const NEAR = 2;

/**
 * Rejects likely typos of listed names. Accepts other unknown names and null values.
 * @param place dotted prefix of the fields
 * @throws UnprocessableError with the correct name in the hint
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
      error: `is unknown; use ${meant}`,
    })),
    slips.map(({ name, meant }) => `Use ${meant} instead of ${name}`).join('. '),
  );
}

/**
 * Rejects names that are valid only inside another parameter.
 * @throws UnprocessableError with the correct notation, `instead[name]`, in the hint
 */
export function refuseMisplaced(given: object, instead: Readonly<Record<string, string>>): void {
  const names = Object.keys(given).filter((name) => Object.hasOwn(instead, name));
  if (names.length === 0) return;
  throw new UnprocessableError(
    names.map((field) => ({ field, error: 'is not a parameter here' })),
    names.map((name) => `Use ${instead[name]} instead of ${name}`).join('. '),
  );
}

/** Returns the listed name that the client probably meant. */
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

/** Short names must share most letters. For example, `kl` is not a typo of `url`. */
function isSimilarName(written: string, candidate: string, distance: number): boolean {
  const letters = (name: string): string => Array.from(name).sort().join('');
  const length = Math.max(written.length, candidate.length);
  return 2 * distance < length || letters(written) === letters(candidate);
}

function bare(name: string): string {
  return name.replace(/[-_]/g, '').toLowerCase();
}

/** Edit distance; Infinity if too large. */
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
