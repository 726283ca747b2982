import { setImmediate as turn } from 'node:timers/promises';
import type { ClickEvent } from '../../core/link-visited';
import type { JournalReader } from '../../platform/journal/journal.reader';
import type { Click } from '../ledger/click';
import { type ClickBatchEntry, clickBatchEntry } from '../ledger/ledger-entry';
import type { PendingBatch } from './batch-intent';
import type { Enricher } from './enricher';

/** Work between two looks at the channel to the parent. */
const VISITS_AT_ONCE = 2000;
const ENTRIES_AT_ONCE = 500;

/** The files of a batch, read and made ready to be recorded. */
export interface JournalBatch {
  intent: PendingBatch;
  entries: ClickBatchEntry[];
  clicks: number;
  /** Files with lines that are no records: a copy is kept of them. */
  damaged: string[];
}

/** Reads the files of a batch, turns visits to clicks and groups them by link. */
export async function readBatch(
  intent: PendingBatch,
  journal: JournalReader,
  enricher: Enricher,
): Promise<JournalBatch> {
  const byLink = new Map<string, Click[]>();
  const damaged: string[] = [];
  let clicks = 0;
  for (const name of intent.files) {
    // A file that is gone was recorded and removed before the crash that this batch repeats.
    const { visits = [], garbage = 0 } = (await journal.read(name)) ?? {};
    if (garbage > 0) damaged.push(name);
    await enrich(visits, enricher, byLink);
    clicks += visits.length;
  }
  return { intent, entries: await encode(byLink), clicks, damaged };
}

async function enrich(
  visits: readonly ClickEvent[],
  enricher: Enricher,
  byLink: Map<string, Click[]>,
): Promise<void> {
  for (const [i, visit] of visits.entries()) {
    if (i % VISITS_AT_ONCE === VISITS_AT_ONCE - 1) await turn();
    const click = enricher.enrich(visit);
    const others = byLink.get(visit.linkId);
    if (others === undefined) byLink.set(visit.linkId, [click]);
    else others.push(click);
  }
}

async function encode(byLink: Map<string, Click[]>): Promise<ClickBatchEntry[]> {
  const entries: ClickBatchEntry[] = [];
  for (const [linkId, clicks] of byLink) {
    if (entries.length % ENTRIES_AT_ONCE === ENTRIES_AT_ONCE - 1) await turn();
    entries.push(clickBatchEntry(linkId, clicks));
  }
  return entries;
}
