import type { Dimension } from '../../engines/click-engine/query/statistics-query';

interface DimensionOffer {
  /** Specifies how the dimension can filter an account's statistics and exports. */
  readonly account?: 'no filter' | 'filters only' | 'filters and parameter';
  /** In link statistics: maximum length of the query parameter; 0 if it is not a filter. */
  readonly link?: number;
  readonly isPublic?: true;
  /** All valid values. Link statistics reject other values. */
  readonly values?: readonly string[];
}

/** Dimensions in API order, which parameters, validation and files follow. */
export const OFFERS = {
  time: { account: 'no filter', link: 0, isPublic: true },
  browser: { account: 'filters and parameter', link: 500, isPublic: true },
  os: { account: 'filters and parameter', link: 500, isPublic: true },
  device: {
    account: 'filters and parameter',
    link: 200,
    isPublic: true,
    values: ['mobile', 'tablet', 'desktop', 'unknown'],
  },
  country: { account: 'filters and parameter', link: 1000, isPublic: true },
  city: { account: 'filters and parameter', link: 1000, isPublic: true },
  referrer: { account: 'filters and parameter', link: 2000, isPublic: true },
  utm_source: { account: 'filters and parameter', link: 1000 },
  utm_medium: { account: 'filters and parameter', link: 1000 },
  utm_campaign: { account: 'filters and parameter', link: 1000 },
  variant: { account: 'filters and parameter', link: 1000 },
  trigger: { account: 'filters and parameter', link: 200, values: ['link', 'qr'] },
  audience: { account: 'no filter', link: 0 },
  /** A filter by short code selects links, not clicks. */
  short_code: { account: 'filters only' },
  /** Uses the link's current tags, not those at the time of the click. */
  tag: { account: 'filters and parameter' },
  bot: {},
} as const satisfies Record<Dimension, DimensionOffer>;

type Offers = typeof OFFERS;

type With<Wanted> = { [Name in Dimension]: Offers[Name] extends Wanted ? Name : never }[Dimension];

const names = Object.keys(OFFERS) as Dimension[];

function findOffer(name: Dimension): DimensionOffer {
  return OFFERS[name];
}

/** Returns names in table order. The caller casts them to the names that match the condition. */
function chosen(isChosen: (offer: DimensionOffer) => boolean): readonly Dimension[] {
  return names.filter((name) => isChosen(findOffer(name)));
}

export type AccountDimension = With<{ account: string }>;
export const ACCOUNT_DIMENSIONS = chosen(
  ({ account }) => account !== undefined,
) as readonly AccountDimension[];
export const LINK_FILTER_NAMES = ['short_code', 'url_id'] as const;
export type LinkFilterName = (typeof LINK_FILTER_NAMES)[number];

export type AccountParameter = With<{ account: 'filters and parameter' }> | 'url_id';
export const ACCOUNT_PARAMETERS: readonly AccountParameter[] = [
  ...(chosen(({ account }) => account === 'filters and parameter') as readonly Exclude<
    AccountParameter,
    'url_id'
  >[]),
  'url_id',
];
export const ACCOUNT_FILTERS: readonly FilterName[] = [...ACCOUNT_PARAMETERS, 'short_code'];

export type LinkDimension = With<{ link: number }>;
export const LINK_DIMENSIONS = chosen(({ link }) => link !== undefined) as readonly LinkDimension[];

export const LINK_FILTERS = chosen(({ link = 0 }) => link > 0) as readonly Exclude<
  LinkDimension,
  'time' | 'audience'
>[];

export type PublicDimension = With<{ isPublic: true }>;
export const PUBLIC_DIMENSIONS = chosen(
  ({ isPublic }) => isPublic === true,
) as readonly PublicDimension[];

export type ApiDimension = AccountDimension | LinkDimension;

export type FilterName = Exclude<ApiDimension, 'time' | 'audience'> | LinkFilterName;

export function dimensionValues(name: string): readonly string[] | null {
  return name in OFFERS ? (findOffer(name as Dimension).values ?? null) : null;
}
