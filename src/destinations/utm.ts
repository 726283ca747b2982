export const UTM_FIELDS = ['source', 'medium', 'campaign', 'term', 'content'] as const;

export type UtmField = (typeof UTM_FIELDS)[number];

/** The five values of a campaign; null is as absent. */
export type UtmValues = { readonly [field in UtmField]?: string | null };

/** How a request wants its destination tagged (docs/contract.md#33.1). */
export interface RequestedUtm extends UtmValues {
  /** Id of a template, whose values count where the request has none. */
  readonly template?: string | null;
  /** Whether values that the destination has already are replaced. */
  readonly overwrite?: boolean | null;
}

/**
 * The destination with these values as `utm_` parameters of its query. Parameters that are there
 * stay or, with `overwrite`, get the value in their place; all else keeps order and spelling.
 */
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
  // An ampersand at the end of the query is the one before the first parameter that is added.
  if (added.length > 0 && pairs.at(-1) === '') pairs.pop();
  const merged = [...pairs, ...added].join('&');
  return query === undefined && merged === '' ? longUrl : `${address}?${merged}${fragment}`;
}

/** Name of a parameter, its escapes read; one with others than of ASCII is none of ours. */
function parameterName(pair: string): string {
  const [name = ''] = pair.split('=', 1);
  return name.replace(/%([\da-f]{2})/gi, (_, code: string) =>
    String.fromCharCode(parseInt(code, 16)),
  );
}
