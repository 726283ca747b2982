export const UTM_FIELDS = ['source', 'medium', 'campaign', 'term', 'content'] as const;

export type UtmField = (typeof UTM_FIELDS)[number];

export type UtmValues = { readonly [field in UtmField]?: string | null };

export interface RequestedUtm extends UtmValues {
  /** A template's id. Values in the request take precedence. */
  readonly template?: string | null;
  readonly overwrite?: boolean | null;
}

/** Keeps the query's order and spelling. Replaces existing values only with `overwrite`. */
export function mergeUtm(
  longUrl: string,
  utm: Omit<RequestedUtm, 'template'>,
  template: UtmValues | null = null,
): string {
  const [, address = '', query, fragment = ''] =
    /^([^?#]*)(?:\?([^#]*))?(.*)$/s.exec(longUrl) ?? [];
  let pairs = query ? query.split('&') : [];
  const added: string[] = [];
  for (const field of UTM_FIELDS) {
    const value = utm[field] ?? template?.[field];
    if (value === undefined || value === null) continue;
    const name = `utm_${field}`;
    const pair = `${name}=${encodeURIComponent(value)}`;
    const first = pairs.findIndex((candidate) => parameterName(candidate) === name);
    if (first === -1) added.push(pair);
    else if (utm.overwrite) {
      pairs = pairs.filter((candidate, at) => at <= first || parameterName(candidate) !== name);
      pairs[first] = pair;
    }
  }
  // A trailing ampersand already separates the first added parameter.
  if (added.length > 0 && pairs.at(-1) === '') pairs.pop();
  const merged = [...pairs, ...added].join('&');
  return query === undefined && merged === '' ? longUrl : `${address}?${merged}${fragment}`;
}

/** Decodes escapes byte by byte, which is enough because UTM names are ASCII. */
function parameterName(pair: string): string {
  const [name = ''] = pair.split('=', 1);
  return name.replace(/%([\da-f]{2})/gi, (_, code: string) =>
    String.fromCharCode(parseInt(code, 16)),
  );
}
