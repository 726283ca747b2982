import type { Mark, MarkedLink } from '../statistics-query';

/** The marks of each source of clicks: those of the link that it belongs to. */
export interface SourceMarks {
  /** Source `s` has the numbers from `numbers[starts[s]]` up to, not including, `numbers[starts[s + 1]]`. */
  readonly starts: Uint32Array;
  /** Places in the labels of `LinkMarks`; a source without a mark has the first one. */
  readonly numbers: Uint32Array;
}

/** Marks that a question puts on links, by which their clicks are listed; others of theirs do not count. */
export class LinkMarks {
  /** The label of links without a mark, then those of the marks. */
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

  /** Ids of the links that have a mark with one of these keys, or none where that is among them. */
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

  /** @param linkIds the id of the link of each source */
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
