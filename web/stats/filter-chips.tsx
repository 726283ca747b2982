import { Icon } from '../parts/icons';
import { go, usePlace } from '../router';
import { texts } from '../texts';
import { type Dimension, type StatsQuery, withFilter, withoutFilters } from './stats-query';
import type { Destinations } from './destinations';
import { labelOf } from './labels';

export function FilterChips({
  query,
  link,
}: {
  query: StatsQuery;
  link?: Destinations | undefined;
}) {
  const { path, search } = usePlace();
  const filters = Object.entries(query.filters) as [Dimension, readonly string[]][];
  if (filters.length === 0) return null;
  return (
    <ul class="chips" aria-label={texts.stats.filters}>
      {filters.flatMap(([name, values]) =>
        values.map((value) => (
          <li key={`${name}=${value}`} class="chip">
            <span>
              {texts.stats.dimensions[name]}: <strong>{labelOf(name, value, link)}</strong>
            </span>
            <button
              type="button"
              class="plain icon-only"
              aria-label={texts.stats.removeFilter(texts.stats.dimensions[name], value)}
              onClick={() => go(path, withFilter(search, name, value))}
            >
              <Icon name="close" />
            </button>
          </li>
        )),
      )}
      <li>
        <button type="button" class="plain" onClick={() => go(path, withoutFilters(search))}>
          {texts.stats.clearFilters}
        </button>
      </li>
    </ul>
  );
}
