import { useId } from 'preact/hooks';
import { Choice, type ChoiceProps } from '../../parts/form';
import { Icon } from '../../parts/icons';
import { go, usePlace } from '../../router';
import { texts } from '../../texts';
import { changed, filterCount, type ListQuery } from './list-query';
import { TagFilter } from './tag-filter';

/** Behind one button, which says how many are set. */
export function Filters({ query }: { query: ListQuery }) {
  const { search } = usePlace();
  const number = filterCount(query);
  const set = (name: string, value: string): void =>
    go('/links', changed(search, { [name]: value }), 'replace');
  const t = texts.links.filters;
  return (
    <>
      <button type="button" class="quiet" popovertarget="link-filters">
        <Icon name="filter" />
        <span class="name" aria-hidden="true">
          {t.title}
        </span>
        <span class="unseen">{t.title}</span>
        {number > 0 && (
          <span class="badge">
            {number}
            <span class="unseen"> {t.set}</span>
          </span>
        )}
      </button>
      <div id="link-filters" class="menu filters" popover="auto">
        <TagFilter query={query} />
        <Choice
          label={t.status}
          value={query.status}
          change={(value) => set('status', value)}
          options={[
            ['', t.any],
            ['ACTIVE', texts.states.ACTIVE],
            ['SCHEDULED', texts.states.scheduled],
            ['INACTIVE', t.notActive],
          ]}
        />
        <Choice
          label={t.password}
          value={query.password}
          change={(value) => set('password', value)}
          options={[
            ['', t.any],
            ['yes', t.with],
            ['no', t.without],
          ]}
        />
        <Choice
          label={t.limit}
          value={query.limit}
          change={(value) => set('limit', value)}
          options={[
            ['', t.any],
            ['yes', t.with],
            ['no', t.without],
          ]}
        />
        <Day label={t.from} value={query.from} change={(value) => set('from', value)} />
        <Day label={t.to} value={query.to} change={(value) => set('to', value)} />
        {number > 0 && (
          <button
            type="button"
            class="quiet small"
            onClick={() =>
              go(
                '/links',
                changed(search, {
                  status: null,
                  password: null,
                  limit: null,
                  from: null,
                  to: null,
                  tags: null,
                  tagsMode: null,
                  untagged: null,
                }),
                'replace',
              )
            }
          >
            {t.clear}
          </button>
        )}
      </div>
    </>
  );
}

type DayProps = Omit<ChoiceProps, 'options'>;

function Day({ label, value, change }: DayProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        type="date"
        value={value}
        onChange={(event) => change(event.currentTarget.value)}
      />
    </div>
  );
}
