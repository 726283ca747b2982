import { CHUNK_DIMENSIONS, VALUE_COLUMNS } from '../../engines/click-engine/chunk/chunk-columns';
import { OTHER_VALUES } from '../../clicks/store/typed-values';
import { DAY_MS } from '../../common/time';
import type { CountSeries } from '../../stores/imported-counts/imported-counts';
import {
  MAX_VALUE_BYTES,
  storedValueBytes,
} from '../../stores/imported-counts/imported-counts.schema';
import type { StoredClick } from './stored-clicks';

/** Hexadecimal digits of the visitor hash: 4096 visitor groups. */
const VISITOR_DIGITS = 3;
const UNIT = 'unit';

/** Skips dimensions with more values than a document can hold. */
export class HistoryTally {
  private readonly by = new Map<string, { bytes: number; values: Map<string, number> | null }>();

  /** @param value empty for a missing value */
  add(dimension: string, value: string, clicks = 1): void {
    let found = this.by.get(dimension);
    if (found === undefined) this.by.set(dimension, (found = { bytes: 0, values: new Map() }));
    const text = value.toWellFormed();
    const before = found.values?.get(text);
    // The page size already bounds the number of units.
    if (before === undefined && dimension !== UNIT) found.bytes += storedValueBytes(text);
    if (found.bytes > MAX_VALUE_BYTES) found.values = null;
    if (clicks > 0) found.values?.set(text, (before ?? 0) + clicks);
  }

  addSeries({ by, units }: Pick<CountSeries, 'by' | 'units'>): void {
    for (const [i, start] of units.starts.entries()) this.addUnit(start, units.clicks[i] ?? 0);
    for (const [dimension, values] of Object.entries(by)) {
      for (const [value, clicks] of values) this.add(dimension, value, clicks);
    }
  }

  addUnit(start: number, clicks = 1): void {
    this.add(UNIT, new Date(start).toISOString(), clicks);
  }

  addClick(click: StoredClick): void {
    this.add('its history', '');
    for (const dimension of CHUNK_DIMENSIONS) this.add(dimension, click[dimension] ?? '');
    this.add('country code', click.countryCode ?? '');
    this.add('visitor', click.visitor.slice(0, VISITOR_DIGITS));
    this.add('signals', String(click.signals));
    this.add('day', new Date(click.at - (click.at % DAY_MS)).toISOString());
  }

  differencesTo(source: HistoryTally): string[] {
    const problems: string[] = [];
    for (const dimension of new Set([...source.by.keys(), ...this.by.keys()])) {
      const theirs = source.countedValues(dimension);
      const ours = this.countedValues(dimension);
      const isTyped = dimension in VALUE_COLUMNS && ours?.has(OTHER_VALUES) === true;
      if (theirs === null || isTyped) continue;
      for (const value of new Set([...theirs.keys(), ...(ours?.keys() ?? [])])) {
        const [expected, found] = [theirs.get(value) ?? 0, ours?.get(value) ?? 0];
        if (expected === found) continue;
        const name = value === '' ? dimension : `${dimension} ${JSON.stringify(value)}`;
        problems.push(`${name} has ${expected} clicks in the source, ${found} here`);
      }
    }
    return problems;
  }

  /** Null for a dimension with too many values. */
  private countedValues(dimension: string): ReadonlyMap<string, number> | null {
    const found = this.by.get(dimension);
    return found === undefined ? new Map() : found.values;
  }
}
