import type { Dimension } from '../engines/click-engine/dimensions';

/** Where a dimension of the engine is offered, and what is said of it there. */
interface DimensionOffer {
  /** In the statistics and exports of an account: how it is a filter there. */
  readonly account?: 'no filter' | 'filters only' | 'filters and parameter';
  /** In those of one link: the longest value of its parameter; 0 where it is no filter. */
  readonly link?: number;
  /** In public statistics (docs/contract.md#9.4). */
  readonly isPublic?: true;
  /** Among the lists of a link's whole life: v0 statistics and the statistics page. */
  readonly isAllTime?: true;
  /** The only values there are; others are refused in the statistics of a link. */
  readonly values?: readonly string[];
}

/**
 * The dimensions, in the order in which the API lists them: parameters, validation, API
 * description, filters, answers and files follow from the table.
 */
export const OFFERS = {
  time: { account: 'no filter', link: 0, isPublic: true, isAllTime: true },
  browser: { account: 'filters and parameter', link: 500, isPublic: true, isAllTime: true },
  os: { account: 'filters and parameter', link: 500, isPublic: true, isAllTime: true },
  device: {
    account: 'filters and parameter',
    link: 200,
    isPublic: true,
    values: ['mobile', 'tablet', 'desktop', 'unknown'],
  },
  country: { account: 'filters and parameter', link: 1000, isPublic: true, isAllTime: true },
  city: { account: 'filters and parameter', link: 1000, isPublic: true },
  referrer: { account: 'filters and parameter', link: 2000, isPublic: true, isAllTime: true },
  utm_source: { account: 'filters and parameter', link: 1000 },
  utm_medium: { account: 'filters and parameter', link: 1000 },
  utm_campaign: { account: 'filters and parameter', link: 1000 },
  variant: { account: 'filters and parameter', link: 1000 },
  trigger: { account: 'filters and parameter', link: 200, values: ['link', 'qr'] },
  /** Filtered by the parameter that all statistics have. */
  audience: { account: 'no filter', link: 0 },
  /** Chooses links, not clicks. */
  short_code: { account: 'filters only' },
  /** Tags that the link of a click has now. */
  tag: { account: 'filters and parameter' },
  /** No dimension of the API. */
  bot: { isAllTime: true },
} as const satisfies Record<Dimension, DimensionOffer>;

type Offers = typeof OFFERS;

/** The names of the dimensions whose definition has all of these properties. */
type With<Wanted> = { [Name in Dimension]: Offers[Name] extends Wanted ? Name : never }[Dimension];

const names = Object.keys(OFFERS) as Dimension[];

function findOffer(name: Dimension): DimensionOffer {
  return OFFERS[name];
}

/** In the order of the table; the caller says by a type what the condition says. */
function chosen(isChosen: (offer: DimensionOffer) => boolean): readonly Dimension[] {
  return names.filter((name) => isChosen(findOffer(name)));
}

export type AccountDimension = With<{ account: string }>;
/** Dimensions of GET /api/v1/stats and /export (docs/contract.md#9.1). */
export const ACCOUNT_DIMENSIONS = chosen(
  ({ account }) => account !== undefined,
) as readonly AccountDimension[];
/** Filters of an account's statistics that choose links, not clicks. */
export const LINK_FILTER_NAMES = ['short_code', 'url_id'] as const;
export type LinkFilterName = (typeof LINK_FILTER_NAMES)[number];

export type AccountParameter = With<{ account: 'filters and parameter' }> | 'url_id';
/** Filters that have a parameter of their own. */
export const ACCOUNT_PARAMETERS: readonly AccountParameter[] = [
  ...(chosen(({ account }) => account === 'filters and parameter') as readonly Exclude<
    AccountParameter,
    'url_id'
  >[]),
  'url_id',
];
/** All that the statistics of an account can be filtered by. */
export const ACCOUNT_FILTERS: readonly FilterName[] = [...ACCOUNT_PARAMETERS, 'short_code'];

export type LinkDimension = With<{ link: number }>;
/** Dimensions of the statistics and exports of one link. */
export const LINK_DIMENSIONS = chosen(({ link }) => link !== undefined) as readonly LinkDimension[];

/** The dimensions of a link that clicks can be filtered by, each with a parameter of its own. */
export const LINK_FILTERS = chosen(({ link = 0 }) => link > 0) as readonly Exclude<
  LinkDimension,
  'time' | 'audience'
>[];

export type PublicDimension = With<{ isPublic: true }>;
/** Dimensions of public statistics, which nobody chooses (docs/contract.md#9.4). */
export const PUBLIC_DIMENSIONS = chosen(
  ({ isPublic }) => isPublic === true,
) as readonly PublicDimension[];

export type AllTimeDimension = With<{ isAllTime: true }>;
/** The lists of v0 statistics. `time` has one row a day (UTC), from the link’s creation on. */
export const ALL_TIME_DIMENSIONS = chosen(
  ({ isAllTime }) => isAllTime === true,
) as readonly AllTimeDimension[];

export type ApiDimension = AccountDimension | LinkDimension;

/** A name that statistics can be filtered by. */
export type FilterName = Exclude<ApiDimension, 'time' | 'audience'> | LinkFilterName;

/** The only values of a dimension; null where any text can be one. */
export function dimensionValues(name: string): readonly string[] | null {
  return name in OFFERS ? (findOffer(name as Dimension).values ?? null) : null;
}
