import { Injectable } from '@nestjs/common';
import type { Click } from '../../engines/click-engine/chunk/click';
import { ImportedCountsRepository } from '../../stores/imported-counts/imported-counts.repository';
import { LinkReads } from '../../stores/links/link-reads.repository';
import type { Import } from '../store/import';
import {
  type ImportedLink,
  ImportedLinksRepository,
  type SeenVisits,
} from '../store/imported-links.repository';
import type { FoundVisit, LinkVisits } from '../reading/import-reader';
import { dropLostCounts } from './lost-counts';
import { type Reading, type ReadVisits, readNewVisits } from './new-visits';
import { countsBeyond, countsByDay } from './visit-counts';
import { VisitRecorder } from './visit-recorder';

const LINKS_PER_STEP = 40;
const PAGES_PER_STEP = 10;
const LINKS_PER_READ = 500;

export interface LinkVisitProgress {
  /** Number of the last step; increases across all of an import's runs. */
  readonly step: number;
  readonly link: string | null;
  /** The next link's reading state if its visits take several steps; otherwise null. */
  readonly reading: Reading | null;
}

interface ReadLink {
  readonly link: ImportedLink;
  readonly base: SeenVisits;
  readonly read: ReadVisits;
}

@Injectable()
export class LinkVisitImport {
  constructor(
    private readonly imported: ImportedLinksRepository,
    private readonly links: LinkReads,
    private readonly counts: ImportedCountsRepository,
    private readonly recorder: VisitRecorder,
  ) {}

  /** @returns null after the last link */
  async takeStep(
    dataImport: Import,
    visitsOf: LinkVisits,
    before: LinkVisitProgress,
    checkLease: () => void,
  ): Promise<{ progress: LinkVisitProgress; isEnd: boolean }> {
    const step = before.step + 1;
    const importedLinks = await this.imported.after(dataImport.id, before.link, LINKS_PER_STEP);
    const found = await this.links.findInOrder(importedLinks.map(({ id }) => id));
    const campaigns = new Map(found.map(({ id, campaign }) => [id, campaign]));
    const read: ReadLink[] = [];
    const firstLink = importedLinks[0];
    // A run that resumes skips a link whose clicks have been deleted since.
    const resumed = (firstLink?.visits ?? 0) > 0 ? before.reading : null;
    if (resumed !== null && firstLink !== undefined) {
      const base = selectBase(firstLink, step);
      const pages = visitsOf(firstLink.sourceId);
      const visits = await readNewVisits(pages, resumed.seen, resumed, PAGES_PER_STEP);
      read.push({ link: firstLink, base, read: visits });
    } else {
      const wanted = importedLinks.filter((link) => {
        return campaigns.has(link.id) && link.visits > selectBase(link, step).count;
      });
      const all = await Promise.all(
        wanted.map(async (link): Promise<ReadLink> => {
          const base = selectBase(link, step);
          const visits = await readNewVisits(visitsOf(link.sourceId), base, null, 1);
          return { link, base, read: visits };
        }),
      );
      const long = all.findIndex(({ read: { reading } }) => reading !== null);
      read.push(...(long === -1 ? all : all.slice(0, long + 1)));
    }
    await this.write(dataImport, step, read, campaigns, checkLease);
    const last = read.at(-1);
    const reading = last?.read.reading ?? null;
    if (reading !== null && last !== undefined) {
      const done = importedLinks[importedLinks.indexOf(last.link) - 1]?.id ?? before.link;
      return { progress: { step, link: done, reading }, isEnd: false };
    }
    const link = resumed === null ? importedLinks.at(-1)?.id : firstLink?.id;
    const isEnd = resumed === null && importedLinks.length < LINKS_PER_STEP;
    return { progress: { step, link: link ?? before.link, reading: null }, isEnd };
  }

  async forgetCleared(importId: string): Promise<void> {
    for (let after: string | null = null; ;) {
      const page: ImportedLink[] = await this.imported.after(importId, after, LINKS_PER_READ);
      const ids = page.map(({ id }) => id);
      await this.imported.forget([...(await this.links.clearedAmong(ids))]);
      after = ids.at(-1) ?? null;
      if (after === null) return;
    }
  }

  /** Counts the clicks recorded in any run that are missing from links that still exist. */
  async countLost(dataImport: Import): Promise<number> {
    let lost = 0;
    for (let after: string | null = null; ;) {
      const importedLinks: ImportedLink[] = await this.imported.after(
        dataImport.id,
        after,
        LINKS_PER_READ,
      );
      const missing = new Set(await this.links.missing(importedLinks.map(({ id }) => id)));
      for (const { id, after: seen } of importedLinks) {
        if (missing.has(id) || seen.taken === 0) continue;
        lost += Math.max(0, seen.taken - (await this.recorder.countClicks([id])));
      }
      after = importedLinks.at(-1)?.id ?? null;
      if (after === null) return lost;
    }
  }

  private async write(
    dataImport: Import,
    step: number,
    read: readonly ReadLink[],
    campaigns: ReadonlyMap<string, string>,
    checkLease: () => void,
  ): Promise<void> {
    const { id: importId, ownerId, source, options } = dataImport;
    const byLink = new Map<string, { readonly clicks: number; readonly list: readonly Click[] }>();
    for (const {
      link,
      read: { visits },
    } of read) {
      const list = await this.toClicks(visits, campaigns.get(link.id) ?? '');
      if (list.length > 0) byLink.set(link.id, { clicks: list.length, list });
    }
    checkLease();
    if (byLink.size > 0) {
      const isCounted = options.history === 'counts';
      if (!isCounted) {
        const lists = new Map([...byLink].map(([id, { list }]) => [id, list]));
        await this.recorder.record(dataImport, {
          number: dataImport.createdAt.getTime() + step,
          byLink: lists,
        });
      }
      const added = isCounted ? countsByDay({ importId, ownerId, source }) : countsBeyond;
      await this.counts.takePage(ownerId, step, byLink, added);
      await dropLostCounts(this.links, this.counts, ownerId, [...byLink.keys()]);
    }
    for (const {
      link,
      base,
      read: { visits, after, reading },
    } of read) {
      const taken = byLink.get(link.id)?.clicks ?? 0;
      const seen: SeenVisits = {
        // The time of the latest visit is stored only after all the link's visits have been read.
        ...(reading === null ? after : base),
        taken: base.taken + taken,
        dropped: base.dropped + visits.length - taken,
      };
      checkLease();
      await this.imported.keepSeen(link.id, { step, before: base, after: seen });
    }
  }

  private async toClicks(visits: readonly FoundVisit[], campaign: string): Promise<Click[]> {
    const now = Date.now();
    const clicks: Click[] = [];
    for (const visit of visits) {
      const { at } = visit;
      if (at !== null && at >= 0 && at <= now)
        clicks.push(await this.recorder.createClick(visit, at, campaign));
    }
    return clicks;
  }
}

/** Returns the state before this step, even if the step has already run once. */
function selectBase({ step: last, before, after }: ImportedLink, step: number): SeenVisits {
  return last === step ? before : after;
}
