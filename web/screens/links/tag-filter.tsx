import { useState } from 'preact/hooks';
import { tagKey } from '../../../src/stores/tags/tag';
import { colourOf, useTags } from '../../data/tags';
import { Check } from '../../parts/form';
import { Icon } from '../../parts/icons';
import { TagName } from '../../parts/tags';
import { go, usePlace } from '../../router';
import { texts } from '../../texts';
import { changed, type ListQuery } from './list-query';

/** If there are more tags, the menu has a search field. */
const MAX_UNSEARCHED = 10;

/** Filters by these tags. Tags and `untagged` exclude each other. */
function withTags(search: URLSearchParams, tags: readonly string[]): URLSearchParams {
  return changed(search, {
    tags: tags.join(','),
    untagged: null,
    ...(tags.length < 2 ? { tagsMode: null } : {}),
  });
}

const without = (tags: readonly string[], name: string): readonly string[] =>
  tags.filter((each) => tagKey(each) !== tagKey(name));

export function TagFilter({ query }: { query: ListQuery }) {
  const { search } = usePlace();
  const [typed, setTyped] = useState('');
  const tags = useTags().value ?? [];
  const set = (next: URLSearchParams): void => go('/links', next, 'replace');
  const keys = new Set(query.tags.map(tagKey));
  const wanted = typed.trim().toLocaleLowerCase();
  const t = texts.links.filters;
  if (tags.length === 0 && query.tags.length === 0 && !query.untagged) return null;
  return (
    <fieldset class="tag-filter">
      <legend>{t.tags}</legend>
      {tags.length > MAX_UNSEARCHED && (
        <input
          type="search"
          aria-label={texts.tags.find}
          placeholder={texts.tags.find}
          value={typed}
          onInput={(event) => setTyped(event.currentTarget.value)}
        />
      )}
      <ul class="scroll">
        {tags
          .filter(({ name }) => name.toLocaleLowerCase().includes(wanted))
          .map(({ id, name, color }) => (
            <li key={id}>
              <label>
                <input
                  type="checkbox"
                  checked={keys.has(tagKey(name))}
                  onChange={(event) =>
                    set(
                      withTags(
                        search,
                        event.currentTarget.checked
                          ? [...query.tags, name]
                          : without(query.tags, name),
                      ),
                    )
                  }
                />
                <TagName name={name} colour={color} />
              </label>
            </li>
          ))}
      </ul>
      {query.tags.length > 1 && (
        <fieldset class="choices">
          <legend class="unseen">{t.tagsMode}</legend>
          {(['any', 'all'] as const).map((mode) => (
            <label key={mode}>
              <input
                type="radio"
                name="tags-mode"
                checked={query.tagsMode === mode}
                onChange={() => set(changed(search, { tagsMode: mode === 'any' ? null : mode }))}
              />
              <span>{mode === 'any' ? t.anyTag : t.allTags}</span>
            </label>
          ))}
        </fieldset>
      )}
      <Check
        label={t.untagged}
        checked={query.untagged}
        change={(isSet) =>
          set(changed(search, { tags: null, tagsMode: null, untagged: isSet ? '1' : null }))
        }
      />
    </fieldset>
  );
}

export function ChosenTags({ query }: { query: ListQuery }) {
  const { search } = usePlace();
  const tags = useTags();
  const t = texts.links.filters;
  if (query.tags.length === 0 && !query.untagged) return null;
  return (
    <ul class="tags chosen-tags" aria-label={t.tags}>
      {query.tags.length > 1 && (
        <li class="hint">{query.tagsMode === 'any' ? t.anyTag : t.allTags}:</li>
      )}
      {query.tags.map((name) => (
        <li key={name} class={`tag ${colourOf(name, tags.value)}`}>
          <bdi>{name}</bdi>
          <button
            type="button"
            class="plain icon-only"
            aria-label={texts.stats.removeFilter(t.tags, name)}
            onClick={() => go('/links', withTags(search, without(query.tags, name)), 'replace')}
          >
            <Icon name="close" />
          </button>
        </li>
      ))}
      {query.untagged && (
        <li class="tag grey">
          {t.untagged}
          <button
            type="button"
            class="plain icon-only"
            aria-label={texts.stats.removeFilter(t.tags, t.untagged)}
            onClick={() => go('/links', changed(search, { untagged: null }), 'replace')}
          >
            <Icon name="close" />
          </button>
        </li>
      )}
    </ul>
  );
}
