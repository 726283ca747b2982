import { api, bodyOf, type Schemas } from '../api/client';
import { failureOf } from '../api/failure';
import { texts } from '../texts';
import { outdate } from './query';
import { Store } from './store';
import { say, sayUndoable, take } from './toasts';

type LinkItem = Schemas['LinkItemResponse'];

/** Links that are shown no more and are deleted as soon as nobody can undo it. */
export const leaving = new Store<ReadonlySet<string>>(new Set());

let waiting: { toast: number; links: LinkItem[] } | null = null;

/** Deletes a link ten seconds from now; links that follow one another are undone together. */
export function removeLink(link: LinkItem): void {
  const links = [...(waiting?.links ?? []), link];
  if (waiting !== null) take(waiting.toast);
  leaving.set(new Set([...leaving.get(), link.id]));
  const toast = sayUndoable(texts.links.removed(links.map(({ alias }) => alias)), {
    undo: () => {
      waiting = null;
      show(links);
    },
    done: () => {
      waiting = null;
      void remove(links);
    },
  });
  waiting = { toast, links };
}

async function remove(links: readonly LinkItem[]): Promise<void> {
  for (const link of links) {
    try {
      const params = { path: { url_id: link.id } };
      // Also when the page is being left.
      await bodyOf(api.DELETE('/api/v1/urls/{url_id}', { params, keepalive: true }));
    } catch (thrown) {
      const failure = failureOf(thrown);
      // Somebody else was quicker.
      if (failure.status !== 404)
        say(texts.links.notRemoved(link.alias, failure.said), { isProblem: true });
    }
  }
  outdate('links', 'link:', 'overview', 'stats:account');
  show(links);
}

function show(links: readonly LinkItem[]): void {
  const gone = new Set(links.map(({ id }) => id));
  leaving.set(new Set([...leaving.get()].filter((id) => !gone.has(id))));
}
