interface FieldValues {
  flag: boolean;
  count: number | null;
  text: string | null;
  time: Date | null;
}

interface LinkFieldRow {
  /** Name in requests, responses, files and the collection. */
  readonly name: string;
  /** Null removes the value, except for a flag. */
  readonly kind: keyof FieldValues;
  /** The field's default; if absent: false for a flag, otherwise null. */
  readonly initial?: true;
  /** For a time: it must be in the future when it is set. */
  readonly isFuture?: true;
  /** Stored in every link; also open to callers without an account. Not for new rows. */
  readonly isBasic?: true;
  /** Shown to the owner only, and not loaded for redirects. */
  readonly isPrivate?: true;
  /** Name of the list filter for links that have a value. */
  readonly filter?: string;
}

/** Settings that are requested, stored, listed, exported and imported alike. */
export const LINK_FIELDS = {
  maxClicks: { name: 'max_clicks', kind: 'count', isBasic: true, filter: 'maxClicksSet' },
  expireAfter: { name: 'expire_after', kind: 'time', isFuture: true, isBasic: true },
  blockBots: { name: 'block_bots', kind: 'flag', isBasic: true },
  privateStats: { name: 'private_stats', kind: 'flag', isBasic: true },
  /** Whether previews and bots take click slots (docs/contract.md#28.3). */
  countBots: { name: 'count_bots', kind: 'flag', initial: true },
  title: { name: 'title', kind: 'text', isPrivate: true },
  note: { name: 'note', kind: 'text', isPrivate: true },
  /** Before this time, the destination is not available (docs/contract.md#26). */
  startsAt: { name: 'starts_at', kind: 'time', isFuture: true },
  preStartUrl: { name: 'pre_start_url', kind: 'text' },
  /** Redirect target once the link has expired or reached its click limit. */
  expiredRedirectUrl: { name: 'expired_redirect_url', kind: 'text' },
  /** Whether the short URL's query is appended to the destination. */
  forwardQuery: { name: 'forward_query', kind: 'flag' },
} as const satisfies Readonly<Record<string, LinkFieldRow>>;

type Rows = typeof LINK_FIELDS;
export type LinkField = keyof Rows;
type FieldsWith<Part> = {
  [Field in LinkField]: Rows[Field] extends Part ? Field : never;
}[LinkField];
type NameOf<Field extends LinkField> = Rows[Field]['name'];

export type BasicField = FieldsWith<{ isBasic: true }>;
export type TimeField = FieldsWith<{ kind: 'time' }>;
export type PrivateField = FieldsWith<{ isPrivate: true }>;
type FieldFilter = Rows[FieldsWith<{ filter: string }>]['filter'];

export type FieldSettings = { readonly [F in LinkField]: FieldValues[Rows[F]['kind']] };
export type StoredFields = { [F in BasicField as NameOf<F>]: FieldSettings[F] } & {
  [F in Exclude<LinkField, BasicField> as NameOf<F>]?: NonNullable<FieldSettings[F]>;
};

type Sent<Value, Time> = Value extends Date ? Time : Value;

/** Values in a list item. */
export type FieldOutputs = { [F in LinkField as NameOf<F>]: Sent<FieldSettings[F], number> };
/** Values in a request body. */
export type FieldInputs = {
  [F in LinkField as NameOf<F>]?: Sent<FieldSettings[F], number | string> | null;
};

/** Unix seconds, or a date as text. */
export type RequestedTimes = { readonly [F in TimeField]: number | string | null };

interface FieldRow<Field = LinkField> extends Omit<LinkFieldRow, 'initial'> {
  readonly key: Field;
  readonly name: NameOf<LinkField>;
  readonly initial: boolean | null;
  readonly filter?: FieldFilter;
}

export const FIELD_ROWS: readonly FieldRow[] = Object.entries<LinkFieldRow>(LINK_FIELDS).map(
  ([key, row]) => ({ initial: row.kind === 'flag' ? false : null, ...row, key }) as FieldRow,
);
export const PRIVATE_ROWS = FIELD_ROWS.filter(({ isPrivate }) => isPrivate);
export const TIME_ROWS = FIELD_ROWS.filter(
  (row): row is FieldRow<TimeField> => row.kind === 'time',
);

/** An object with an entry for each field; the caller knows its type. */
export function mapFields(
  toEntry: (row: FieldRow) => readonly [string, unknown],
  rows = FIELD_ROWS,
): object {
  return Object.fromEntries(rows.map(toEntry));
}

type FieldDefaults = {
  readonly [F in LinkField]: Rows[F]['kind'] extends 'flag' ? boolean : null;
};
export const FIELD_DEFAULTS = mapFields(({ key, initial }) => [key, initial]) as FieldDefaults;
