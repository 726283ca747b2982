import {
  type Dimension,
  DIMENSIONS,
  type StatisticsQuery,
} from '../../src/engines/click-engine/query/statistics-query';
import { type BenchColumn, type ClickSource, DAY_MS, OF_VISITOR, VALUES } from './clicks';
import type { BenchLink } from './recording';

const MAX_BITS = 2 ** 35;

interface Labelled {
  numbersOf: (row: number) => readonly number[];
  labels: readonly string[];
}

function single(numberOf: (row: number) => number): Labelled['numbersOf'] {
  const numbers = [0];
  return (row) => {
    numbers[0] = numberOf(row);
    return numbers;
  };
}

/**
 * Reports whether a number below `size` occurs for the first time; sparse if `size` is large.
 */
function firstMeetings(size: number): (number: number) => boolean {
  if (size > MAX_BITS) {
    const met = new Set<number>();
    return (number) => met.size < met.add(number).size;
  }
  const met = new Uint8Array(Math.ceil(size / 8));
  return (number) => {
    const place = Math.floor(number / 8);
    const before = met[place] ?? 0;
    met[place] = before | (1 << (number % 8));
    return met[place] !== before;
  };
}

export class Tape {
  constructor(
    private readonly source: ClickSource,
    private readonly links: readonly BenchLink[],
  ) {}

  count(query: StatisticsQuery, dimension: Dimension): Map<string, [number, number]> {
    const { clicks, visitors } = this.source;
    const { numbersOf, labels } = this.column(dimension);
    const isNew = firstMeetings(labels.length * visitors);
    const counts = labels.map((): [number, number] => [0, 0]);
    const passes = this.filter(query);
    for (let row = 0; row < clicks.count; row += 1) {
      if (!passes(row)) continue;
      for (const number of numbersOf(row)) {
        const count = counts[number];
        if (count === undefined) throw new RangeError('No such value');
        count[0] += 1;
        if (isNew(number * visitors + (clicks.visitor[row] ?? 0))) count[1] += 1;
      }
    }
    return new Map(
      counts.flatMap((count, number) =>
        count[0] > 0 ? [[labels[number] ?? '', count] as const] : [],
      ),
    );
  }

  private filter({ start, end, filters }: StatisticsQuery): (row: number) => boolean {
    const { at } = this.source.clicks;
    const [from, to] = [start - this.source.start, end - this.source.start];
    const checks = Object.entries(filters).map(([dimension, values]) => {
      const { numbersOf, labels } = this.column(dimension as Dimension);
      const passing = labels.map((label) => values.includes(label));
      return (row: number): boolean => numbersOf(row).some((number) => passing[number] === true);
    });
    return (row) => {
      const time = at[row] ?? 0;
      return time >= from && time <= to && checks.every((check) => check(row));
    };
  }

  private column(dimension: Dimension): Labelled {
    const { clicks, start } = this.source;
    if (dimension === 'time') {
      const labels = Array.from({ length: 32 }, (_, day) =>
        new Date(start + day * DAY_MS).toISOString().slice(0, 10),
      );
      return { numbersOf: single((row) => Math.floor((clicks.at[row] ?? 0) / DAY_MS)), labels };
    }
    if (dimension === 'short_code') {
      return {
        numbersOf: single((row) => clicks.link[row] ?? 0),
        labels: this.links.map(({ alias }) => alias),
      };
    }
    if (dimension === 'tag') {
      const labels = [DIMENSIONS.tag.missing, ...new Set(this.links.flatMap(({ tags }) => tags))];
      const numbers = this.links.map(({ tags }) =>
        tags.length === 0 ? [0] : tags.map((tag) => labels.indexOf(tag)),
      );
      return { numbersOf: (row) => numbers[clicks.link[row] ?? 0] ?? [], labels };
    }
    const { column, missing } = DIMENSIONS[dimension];
    const name = column as BenchColumn;
    const labels = VALUES[name].map((value) => value ?? missing ?? '');
    if (isOfVisitor(name)) {
      const values = this.source.ofVisitor[name];
      return { numbersOf: single((row) => values[clicks.visitor[row] ?? 0] ?? 0), labels };
    }
    const values = clicks.columns[name];
    return { numbersOf: single((row) => values[row] ?? 0), labels };
  }
}

function isOfVisitor(name: BenchColumn): name is (typeof OF_VISITOR)[number] {
  return (OF_VISITOR as readonly string[]).includes(name);
}
