import type { Mark, MarkedLink } from '../query/statistics-query';

export interface SourceMarks {
  /** Source `s` has `numbers` from `starts[s]` up to but excluding `starts[s + 1]`. */
  readonly starts: Uint32Array;
  /** Label indexes in `LinkMarks`; 0 for a source without marks. */
  readonly numbers: Uint32Array;
}

/** The marks used by a query; ignores all other marks on the links. */
export class LinkMarks {
  /** The label for links without marks, followed by the marks' labels. */
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

  /** Returns IDs of links with any of these marks; `keys` may include links without marks. */
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
