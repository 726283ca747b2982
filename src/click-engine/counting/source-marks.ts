import type { MarkedLinks } from '../statistics-query';

/** The marks of each source of clicks: those of the link that it belongs to. */
export interface SourceMarks {
  /** Source `s` has the numbers from `numbers[starts[s]]` up to, not including, `numbers[starts[s + 1]]`. */
  readonly starts: Uint32Array;
  /** Places in the labels of `LinkMarks`; a source without a mark has the first one. */
  readonly numbers: Uint32Array;
}

/** Marks that a question puts on links, by which their clicks are listed. */
export class LinkMarks {
  /** The label of links without a mark, then those of the marks. */
  readonly labels: readonly string[];
  private readonly byLink: ReadonlyMap<string, readonly number[]>;

  constructor({ links, labels }: MarkedLinks, missing: string) {
    this.labels = [missing, ...labels];
    this.byLink = new Map(links.map(({ id, marks }) => [id, marks]));
  }

  /** @param linkIds the id of the link of each source */
  ofSources(linkIds: readonly (string | null)[]): SourceMarks {
    const starts = new Uint32Array(linkIds.length + 1);
    const numbers: number[] = [];
    linkIds.forEach((id, source) => {
      const marks = this.byLink.get(id ?? '') ?? [];
      if (marks.length === 0) numbers.push(0);
      for (const mark of marks) numbers.push(mark + 1);
      starts[source + 1] = numbers.length;
    });
    return { starts, numbers: Uint32Array.from(numbers) };
  }
}
