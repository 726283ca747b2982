import { useState } from 'preact/hooks';
import { tagKey } from '../../../src/stores/tags/tag';
import { failureOf } from '../../api/failure';
import { api, bodyOf } from '../../api/client';
import { outdate, useQuery } from '../../data/query';
import { Store, useStore } from '../../data/store';
import { type Tag, useTags } from '../../data/tags';
import { say, sayUndoable } from '../../data/toasts';
import { count } from '../../format';
import { Clicks } from '../../parts/clicks';
import { Empty } from '../../parts/empty';
import { Icon } from '../../parts/icons';
import { ScreenHead } from '../../parts/screen-head';
import { Loading } from '../../parts/skeleton';
import { Link } from '../../router';
import { readStatsQuery } from '../../stats/stats-query';
import { ACCOUNT, rowsOf } from '../../stats/subject';
import { texts } from '../../texts';
import { TagForm } from './tag-form';

/** All clicks of all visitors, as in lists of links. */
const EVER = { range: 'all', audience: 'all' } as const;

/** Tags that are hidden while the user can still undo the deletion. */
const leaving = new Store<ReadonlySet<string>>(new Set());

export default function Tags() {
  const [edited, setEdited] = useState<Tag | 'new' | null>(null);
  const found = useTags();
  const gone = useStore(leaving);
  const tags = found.value?.filter(({ id }) => !gone.has(id));
  const t = texts.tags;
  const create = (
    <button type="button" onClick={() => setEdited('new')}>
      <Icon name="plus" /> {t.create}
    </button>
  );
  return (
    <>
      <ScreenHead title={t.title} lead={t.lead}>
        {tags !== undefined && tags.length > 0 && create}
      </ScreenHead>
      <Loading found={found} rows={5} />
      {tags?.length === 0 && (
        <Empty icon="tags" title={t.none}>
          <p>{t.noneHint}</p>
          {create}
        </Empty>
      )}
      {tags !== undefined && tags.length > 0 && <TagTable tags={tags} edit={setEdited} />}
      {edited !== null && (
        <TagForm tag={edited === 'new' ? null : edited} close={() => setEdited(null)} />
      )}
    </>
  );
}

function TagTable({ tags, edit }: { tags: readonly Tag[]; edit: (tag: Tag) => void }) {
  const clicks = useClicks();
  const t = texts.tags;
  return (
    <div class="table-card">
      <table class="tag-table">
        <caption class="unseen">{t.title}</caption>
        <thead>
          <tr>
            <th scope="col">{t.name}</th>
            <th scope="col" class="wide-only">
              {t.colour}
            </th>
            <th scope="col" class="number">
              {t.links}
            </th>
            <th scope="col" class="number">
              {t.clicks}
            </th>
            <th scope="col">
              <span class="unseen">{t.actions}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {tags.map((tag) => (
            <tr key={tag.id}>
              <th scope="row">
                <Link
                  to="/links"
                  search={new URLSearchParams({ tags: tag.name })}
                  class={`tag ${tag.color}`}
                  title={t.filterBy(tag.name)}
                >
                  <bdi>{tag.name}</bdi>
                </Link>
              </th>
              <td class="wide-only">{t.colours[tag.color]}</td>
              <td class="number">{count(tag.links)}</td>
              <td class="number">
                <TagClicks tag={tag} recorded={clicks && (clicks.get(tagKey(tag.name)) ?? 0)} />
              </td>
              <td class="actions-cell">
                <button
                  type="button"
                  class="plain icon-only"
                  aria-label={t.edit(tag.name)}
                  title={t.edit(tag.name)}
                  onClick={() => edit(tag)}
                >
                  <Icon name="edit" />
                </button>
                <button
                  type="button"
                  class="plain icon-only"
                  aria-label={t.delete(tag.name)}
                  title={t.delete(tag.name)}
                  onClick={() => remove(tag)}
                >
                  <Icon name="trash" />
                </button>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Shows the same numbers as the list of the tag's links. Tags without clicks have no statistics. */
function TagClicks({ tag, recorded }: { tag: Tag; recorded: number | undefined }) {
  if (recorded === undefined) return <>…</>;
  const clicks = <Clicks recorded={recorded} imported={tag.imported_clicks} />;
  if (recorded === 0) return clicks;
  return (
    <Link
      to="/analytics"
      search={new URLSearchParams({ ...EVER, 'f.tag': tag.name })}
      aria-label={texts.tags.clicksOf(tag.name, count(recorded))}
    >
      {clicks}
    </Link>
  );
}

/** Returns all recorded clicks by tag key. */
function useClicks(): ReadonlyMap<string, number> | undefined {
  const query = readStatsQuery(new URLSearchParams(EVER));
  // Includes imported clicks that are older than the account's links.
  const span = { start: new Date(0), end: null, days: null };
  const answer = useQuery('stats:account:tags', () => ACCOUNT.ask(query, span, ['tag'])).value;
  return (
    answer && new Map(rowsOf(answer, 'tag').map(({ label, clicks }) => [tagKey(label), clicks]))
  );
}

/** Deletes the tag after ten seconds, unless the user undoes it. */
function remove(tag: Tag): void {
  leaving.set(new Set([...leaving.get(), tag.id]));
  const show = (): void => leaving.set(new Set([...leaving.get()].filter((id) => id !== tag.id)));
  const t = texts.tags;
  document.querySelector<HTMLElement>('main h1')?.focus();
  sayUndoable(t.deleted(tag.name, count(tag.links), tag.links), {
    undo: show,
    done: () => {
      const params = { path: { id: tag.id } };
      bodyOf(api.DELETE('/api/v1/tags/{id}', { params, keepalive: true }))
        .catch((thrown: unknown) => {
          const failure = failureOf(thrown);
          // 404 means that the tag is already deleted.
          if (failure.status !== 404)
            say(t.notDeleted(tag.name, failure.said), { isProblem: true });
        })
        .finally(() => {
          outdate('tags', 'links', 'link:', 'stats:account');
          show();
        });
    },
  });
}
