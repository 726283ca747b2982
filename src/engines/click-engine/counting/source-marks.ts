import type { Mark, MarkedLink } from '../query/statistics-query';

export interface SourceMarks {
  /** Source `s` has `numbers[starts[s]]` to `numbers[starts[s + 1]]`, exclusive. */
  readonly starts: Uint32Array;
  /** Indexes into the labels of `LinkMarks`; 0 if the source has no mark. */
  readonly numbers: Uint32Array;
}

/** The marks that a query covers; other marks of the links are ignored. */
export class LinkMarks {
  /** The label of unmarked links, then the labels of the marks. */
  readonly labels: readonly string[];
  private readonly places: ReadonlyMap<string, number>;

  constructor(
    private readonly links: ReadonlyMap<string, MarkedLink>,
    private readonly marks: readonly Mark[],
    private readonly missing: string,
  ) {
    this.labels = [missing, ...marks.map(({ label }) => label)];
    this.places = new Map(marks.map(({ id }, place) => [id, place + 1]));
  }

  /** IDs of links that have any of these marks, or no mark if the keys include that case. */
  passing(keys: readonly string[]): string[] {
    const requestedKeys = new Set(keys);
    const places = new Set(
      this.marks.flatMap(({ key }, place) => (requestedKeys.has(key) ? [place + 1] : [])),
    );
    if (requestedKeys.has(this.missing)) places.add(0);
    const ids: string[] = [];
    for (const [id, link] of this.links) {
      const own: number[] = [];
      this.addPlaces(link, own);
      if (own.some((place) => places.has(place))) ids.push(id);
    }
    return ids;
  }

  ofSources(linkIds: readonly (string | null)[]): SourceMarks {
    const starts = new Uint32Array(linkIds.length + 1);
    const numbers: number[] = [];
    linkIds.forEach((id, source) => {
      this.addPlaces(this.links.get(id ?? ''), numbers);
      starts[source + 1] = numbers.length;
    });
    return { starts, numbers: Uint32Array.from(numbers) };
  }

  private addPlaces(link: MarkedLink | undefined, places: number[]): void {
    const before = places.length;
    for (const id of link?.marks ?? []) {
      const place = this.places.get(id);
      if (place !== undefined) places.push(place);
    }
    if (places.length === before) places.push(0);
  }
}
