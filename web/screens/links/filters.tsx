import { DEFAULT_HOST } from '../../../src/links/link-index/link-list';
import { hostOf, useDomains, useSharedDomains } from '../../data/domains';
import { Choice, type ChoiceProps } from '../../parts/form';
import { Icon } from '../../parts/icons';
import { SheetHead } from '../../parts/menu';
import { DayField } from '../../parts/time';
import { go, usePlace } from '../../router';
import { texts } from '../../texts';
import { changed, filterCount, type ListQuery } from './list-query';
import { TagFilter } from './tag-filter';

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
      <div id="link-filters" class="menu filters sheet" popover="auto">
        <SheetHead title={t.title} id="link-filters" />
        <TagFilter query={query} />
        <DomainFilter value={query.domain} change={(value) => set('domain', value)} />
        {query.source !== '' && (
          <Choice
            label={t.source}
            value={query.source}
            change={(value) => set('source', value)}
            options={[
              ['', t.any],
              [query.source, t.oneSource],
            ]}
          />
        )}
        <Choice
          label={t.status}
          value={query.status}
          change={(value) => set('status', value)}
          options={[
            ['', t.any],
            ['ACTIVE', texts.states.ACTIVE],
            ['SCHEDULED', texts.states.scheduled],
            ['INACTIVE', t.notActive],
            ['BLOCKED', texts.states.BLOCKED],
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
        <DayField label={t.from} value={query.from} change={(value) => set('from', value)} />
        <DayField label={t.to} value={query.to} change={(value) => set('to', value)} />
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
                  domain: null,
                  tags: null,
                  tagsMode: null,
                  untagged: null,
                  source: null,
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

function DomainFilter({ value, change }: Pick<ChoiceProps, 'value' | 'change'>) {
  const { value: domains = [] } = useDomains();
  const { value: shared = [] } = useSharedDomains();
  const own = domains.filter(({ links, status }) => links > 0 || status === 'active');
  const used = new Set([...own, ...shared].map(({ fqdn }) => fqdn));
  if (used.size === 0 && value === '') return null;
  return (
    <Choice
      label={texts.domains.name}
      value={value}
      change={change}
      options={[
        ['', texts.links.filters.any],
        [DEFAULT_HOST, hostOf(null)],
        ...Array.from(used, (fqdn) => [fqdn, fqdn] as const),
      ]}
    />
  );
}
