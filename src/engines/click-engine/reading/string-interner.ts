import { DIMENSIONS, STORED_DIMENSIONS, type StoredDimension } from '../query/statistics-query';

export type InternedColumn = StoredDimension | 'country_code' | 'link';

export class ColumnStrings {
  readonly labels: (string | null)[] = [];
  private readonly numbers = new Map<string | null, number>();
  bytes = 0;

  constructor(private readonly missing: string | null) {}

  intern(value: string | null): number {
    const label = value ?? this.missing;
    const known = this.numbers.get(label);
    if (known !== undefined) return known;
    this.numbers.set(label, this.labels.length);
    this.bytes += 80 + (label?.length ?? 0) * 2;
    return this.labels.push(label) - 1;
  }

  /** Returns an array with 1 at each label's number; unknown labels match no click. */
  passing(labels: Iterable<string | null>): Uint8Array {
    const passing = new Uint8Array(this.labels.length);
    for (const label of labels) {
      const number = this.numbers.get(label);
      if (number !== undefined) passing[number] = 1;
    }
    return passing;
  }
}

/** A missing value and the text `(none)` share a number, because responses render both alike. */
export class StringInterner {
  private readonly columns: Record<InternedColumn, ColumnStrings>;

  constructor() {
    const stored = STORED_DIMENSIONS.map((name) => [
      name,
      new ColumnStrings(DIMENSIONS[name].missing),
    ]);
    this.columns = {
      ...(Object.fromEntries(stored) as Record<StoredDimension, ColumnStrings>),
      country_code: new ColumnStrings(null),
      link: new ColumnStrings(null),
    };
  }

  column(name: InternedColumn): ColumnStrings {
    return this.columns[name];
  }

  get bytes(): number {
    return Object.values(this.columns).reduce((sum, column) => sum + column.bytes, 0);
  }
}
