import type { Dimension } from './dimensions';
import type { StatisticsQuery } from './statistics-query';

/** Hosts by the site that lists show for them. */
const SITES: Readonly<Record<string, readonly string[]>> = {
  'facebook.com': ['facebook.com', 'fb.com', 'fb.me'],
  'instagram.com': ['instagram.com'],
  'youtube.com': ['youtube.com', 'youtu.be'],
  'x.com': ['x.com', 'twitter.com', 't.co'],
  'linkedin.com': ['linkedin.com', 'lnkd.in'],
  'reddit.com': ['reddit.com', 'redd.it'],
  'pinterest.com': ['pinterest.com', 'pin.it'],
};
/** Subdomains of mobile pages and link warnings. */
const SUBDOMAINS = ['', 'www.', 'm.', 'mobile.', 'l.', 'lm.', 'web.', 'touch.', 'old.', 'out.'];
const BROWSERS = ['Chrome', 'Edge', 'Firefox', 'Opera', 'Safari'];

const referrers = Object.entries(SITES).map(([site, hosts]): [string, readonly string[]] => [
  `https://${site}`,
  hosts.flatMap((host) =>
    SUBDOMAINS.flatMap((sub) => [`https://${sub}${host}`, `http://${sub}${host}`]),
  ),
]);
const MEMBERS: Partial<Record<Dimension, ReadonlyMap<string, readonly string[]>>> = {
  referrer: new Map(referrers),
  browser: new Map(BROWSERS.map((name) => [name, [name, `Mobile ${name}`]])),
};
const SHOWN = new Map(
  Object.entries(MEMBERS).map(([dimension, members]) => [
    dimension,
    new Map([...members].flatMap(([shown, values]) => values.map((value) => [value, shown]))),
  ]),
);

/** Returns the values that a filter by this value selects in merged lists. */
export function membersOf(dimension: Dimension, value: string): readonly string[] {
  return MEMBERS[dimension]?.get(value) ?? [value];
}

/** Returns the shown value by recorded value; undefined if the query does not merge any. */
export function shownValues(
  { merged = false, underscored }: Pick<StatisticsQuery, 'merged' | 'underscored'>,
  dimension: Dimension,
): ReadonlyMap<string, string> | undefined {
  return merged && !underscored?.includes(dimension) ? SHOWN.get(dimension) : undefined;
}
