import { distinctTagNames, tagKey } from '../../src/stores/tags/tag';
import { api, bodyOf, type Schemas } from '../api/client';
import { failureOf } from '../api/failure';
import { count } from '../format';
import { place } from '../router';
import { texts } from '../texts';
import { labelOf } from './domains';
import { outdate } from './query';
import { NOTHING, type Selection, selectionOf, withLinks } from './selection';
import { Store } from './store';
import { say, sayUndoable, take } from './toasts';

type LinkItem = Schemas['LinkItemResponse'];
type Row = Schemas['BulkResponse']['results'][number];

/** Selected links. Cleared when the filter changes. */
export const selection = new Store<Selection>(NOTHING);

function deselect(links: readonly LinkItem[]): void {
  selection.set(withLinks(selection.get(), links, false));
}

export type Reasons = ReadonlyMap<string, string>;

const MAX_BATCH = 100;

/**
 * A change that is shown immediately and sent when it can no longer be undone. Consecutive changes
 * are undone together.
 */
class UndoableChange {
  readonly shown = new Store<ReadonlyMap<string, LinkItem>>(new Map());
  private waiting: { toast: number; links: readonly LinkItem[] } | null = null;

  constructor(
    private readonly textOf: (links: readonly LinkItem[]) => string,
    private readonly send: (links: readonly LinkItem[]) => Promise<Reasons>,
    private readonly edited?: (link: LinkItem) => LinkItem,
  ) {}

  /** Returns the link as it will be after the change. */
  apply(link: LinkItem): LinkItem {
    return this.shown.get().has(link.id) ? (this.edited?.(link) ?? link) : link;
  }

  addLinks(added: readonly LinkItem[]): void {
    const { links: chosen } = selection.get();
    const wereSelected = added.filter(({ id }) => chosen.has(id));
    const links = [...(this.waiting?.links ?? []), ...added];
    if (this.waiting !== null) take(this.waiting.toast);
    this.show(new Map([...this.shown.get(), ...added.map((link) => [link.id, link] as const)]));
    deselect(added);
    const toast = sayUndoable(this.textOf(links), {
      undo: () => {
        this.waiting = null;
        this.hideLinks(links);
        if (wereSelected.length > 0) selection.set(selectionOf(wereSelected));
      },
      done: () => {
        this.waiting = null;
        void this.send(links)
          .then((reasons) => keepFailed(links, reasons))
          .finally(() => this.hideLinks(links));
      },
    });
    this.waiting = { toast, links };
  }

  private hideLinks(links: readonly LinkItem[]): void {
    const hidden = new Set(links.map(({ id }) => id));
    this.show(new Map([...this.shown.get()].filter(([id]) => !hidden.has(id))));
  }

  private show(links: ReadonlyMap<string, LinkItem>): void {
    this.shown.set(links);
    if (this.edited === undefined) return;
    const others = edits.get().filter((change) => change !== this);
    edits.set(links.size === 0 ? others : [...others, this]);
  }
}

/** Changes that lists show before they are sent, oldest first. */
export const edits = new Store<readonly UndoableChange[]>([]);

const removal = new UndoableChange(
  (links) => texts.links.removed(links.map(({ alias }) => alias)),
  async (links) => {
    const reasons = await inBatches(links, (ids) =>
      // `keepalive`, so that the browser sends the request even if the page unloads.
      bodyOf(api.POST('/api/v1/urls/bulk/delete', { body: { ids }, keepalive: true })),
    );
    // Links that no longer exist are already deleted.
    return new Map([...reasons].filter(([, why]) => why !== texts.selection.reasons['not_found']));
  },
);
const pausing = new UndoableChange(
  (links) => texts.selection.paused(count(links.length), links.length),
  (links) => sendStatus(links, 'INACTIVE', true),
  (link) => ({ ...link, status: 'INACTIVE' }),
);

export const leaving = removal.shown;

export function removeLinks(links: readonly LinkItem[]): void {
  removal.addLinks(links);
}

export function pauseLinks(links: readonly LinkItem[]): void {
  pausing.addLinks(links);
}

export async function resumeLinks(links: readonly LinkItem[]): Promise<void> {
  const reasons = await sendStatus(links, 'ACTIVE', false);
  sayDone(texts.selection.resumed, links, reasons);
}

function sendStatus(
  links: readonly LinkItem[],
  status: 'ACTIVE' | 'INACTIVE',
  keepalive: boolean,
): Promise<Reasons> {
  return inBatches(links, (ids) =>
    bodyOf(api.POST('/api/v1/urls/bulk/status', { body: { ids, status }, keepalive })),
  );
}

/** @param expireAfter Unix seconds; null removes the expiry */
export function expireLinks(links: readonly LinkItem[], expireAfter: number | null): Promise<void> {
  return editLinks(
    links,
    (ids) =>
      bodyOf(
        api.POST('/api/v1/urls/bulk/expiry', {
          body: { ids, expire_after: expireAfter },
          keepalive: true,
        }),
      ),
    (link) => ({ ...link, expire_after: expireAfter }),
  );
}

export function tagLinks(
  links: readonly LinkItem[],
  added: readonly string[],
  removed: readonly string[],
): Promise<void> {
  const changes = {
    ...(added.length === 0 ? {} : { add_tags: [...added] }),
    ...(removed.length === 0 ? {} : { remove_tags: [...removed] }),
  };
  const without = new Set(removed.map(tagKey));
  return editLinks(
    links,
    (ids) =>
      bodyOf(api.POST('/api/v1/urls/bulk/update', { body: { ids, ...changes }, keepalive: true })),
    (link) => ({
      ...link,
      tags: distinctTagNames([...link.tags.filter((name) => !without.has(tagKey(name))), ...added]),
    }),
  );
}

/** Cannot be undone. */
export async function deleteClicks(links: readonly LinkItem[]): Promise<void> {
  const reasons = await inBatches(links, (ids) =>
    bodyOf(api.POST('/api/v1/urls/bulk/delete-clicks', { body: { ids } })),
  );
  outdate('stats:');
  sayDone(texts.deleteClicks.done, links, reasons);
}

/** Each change has its own undo, because it may set other values. */
function editLinks(
  links: readonly LinkItem[],
  send: (ids: string[]) => Promise<{ readonly results: readonly Row[] }>,
  edited: (link: LinkItem) => LinkItem,
): Promise<void> {
  const change = new UndoableChange(
    (all) => texts.selection.changed(count(all.length), all.length),
    (all) => inBatches(all, send),
    edited,
  );
  change.addLinks(links);
  return Promise.resolve();
}

/** Sends all batches concurrently, because a page that unloads cannot wait. */
export async function inBatches(
  links: readonly LinkItem[],
  send: (ids: string[]) => Promise<{ readonly results: readonly Row[] }>,
): Promise<Reasons> {
  const ids = links.map(({ id }) => id);
  const batches = Array.from({ length: Math.ceil(ids.length / MAX_BATCH) }, (_, i) =>
    ids.slice(i * MAX_BATCH, (i + 1) * MAX_BATCH),
  );
  const answers = await Promise.allSettled(batches.map(send));
  outdate('links', 'link:', 'overview', 'tags', 'stats:account');
  return new Map(
    answers.flatMap((answer, i) =>
      answer.status === 'fulfilled'
        ? answer.value.results
            .filter(({ ok }) => !ok)
            .map((row) => [row.id, reasonOf(row)] as const)
        : (batches[i] ?? []).map((id) => [id, failureOf(answer.reason).said] as const),
    ),
  );
}

function reasonOf({ error_code: code, error }: Row): string {
  return texts.selection.reasons[code ?? ''] ?? error ?? texts.problems.unknown;
}

type TextOfCount = (count: string, value: number) => string;

function sayDone(textOf: TextOfCount, links: readonly LinkItem[], reasons: Reasons): void {
  const done = links.length - reasons.size;
  if (done > 0) say(textOf(count(done), done));
  deselect(links);
  keepFailed(links, reasons);
}

function keepFailed(links: readonly LinkItem[], reasons: Reasons): void {
  const failed = links.filter(({ id }) => reasons.has(id));
  const [first] = failed;
  if (first === undefined) return;
  selection.set(selectionOf(failed, reasons));
  // The selection bar on this screen shows the reason.
  if (place.get().path === '/links') return;
  const why = reasons.get(first.id) ?? '';
  say(
    failed.length === 1
      ? texts.links.notChanged(labelOf(first), why)
      : texts.selection.failed(count(failed.length), failed.length),
    { isProblem: true },
  );
}
