import { useEffect, useId, useState } from 'preact/hooks';
import { useKept, useQuery } from '../data/query';
import { bare, count, share } from '../format';
import { Dialog } from '../parts/dialog';
import { Problem } from '../parts/problem';
import { Skeleton } from '../parts/skeleton';
import { go, usePlace } from '../router';
import { texts } from '../texts';
import { destinationRows, weightOf } from './destinations';
import { countryCode, labelOf } from './labels';
import {
  type Dimension,
  isFilteredBy,
  openDimension,
  presentSpan,
  type StatsQuery,
  withFilter,
  withOpen,
} from './stats-query';
import type { StatsRow } from './compare-rows';
import { rowsOf, type Statistics, type Subject } from './subject';

const GROUPS = [
  { name: 'links', dimensions: ['short_code', 'tag'] },
  { name: 'sources', dimensions: ['referrer', 'utm_source', 'utm_medium', 'utm_campaign'] },
  { name: 'places', dimensions: ['country', 'city'] },
  { name: 'technology', dimensions: ['browser', 'os', 'device'] },
  { name: 'visits', dimensions: ['audience', 'trigger'] },
  { name: 'split', dimensions: ['variant'] },
  { name: 'ways', dimensions: ['variant'] },
] as const satisfies readonly { name: string; dimensions: readonly Dimension[] }[];

/** Number of rows per card. A dialog shows all rows. */
const SHOWN = 8;
/** Maximum number of destinations, which are divided between two cards. */
const DESTINATIONS = 100;

export function rowsFor({ link }: Subject): number {
  return link?.rules || link?.geo_rules || link?.ab_variants ? DESTINATIONS : SHOWN + 1;
}

const NO_CAMPAIGN = '(none)';
const isCampaign = (name: Dimension): boolean => name.startsWith('utm_');

interface BreakdownsProps {
  readonly answer: Statistics;
  readonly subject: Subject;
  readonly query: StatsQuery;
  readonly choose: (search: URLSearchParams) => void;
}

export function Breakdowns({ answer, subject, query, choose }: BreakdownsProps) {
  const groups = GROUPS.filter(({ dimensions }) =>
    dimensions.some((name) => subject.dimensions.includes(name)),
  ).filter(({ name }) => partOf(name, rowsOf(answer, 'variant'), subject) !== null);
  return (
    <div class={`breakdowns of-${count(groups.length)}`}>
      {groups.map(({ name, dimensions }) => (
        <Group
          key={name}
          name={name}
          title={texts.stats.groups[name]}
          dimensions={dimensions}
          answer={answer}
          subject={subject}
          query={query}
          choose={choose}
        />
      ))}
    </div>
  );
}

type GroupName = (typeof GROUPS)[number]['name'];

/** Returns the card's rows; null if the card is not shown. */
function partOf(
  name: GroupName,
  rows: readonly StatsRow[],
  { link }: Subject,
): readonly StatsRow[] | null {
  if (name !== 'split' && name !== 'ways') return rows;
  const part = link === undefined ? [] : destinationRows(rows, link)[name];
  return part.length === 0 ? null : part;
}

interface GroupProps extends BreakdownsProps {
  readonly name: GroupName;
  readonly title: string;
  readonly dimensions: readonly Dimension[];
}

function Group({ name: group, title, dimensions, answer, subject, query, choose }: GroupProps) {
  const { path, search } = usePlace();
  const chosen = openDimension(search, dimensions) ?? 'referrer';
  const [isAllShown, setAllShown] = useState(false);
  const id = useId();
  const others = useOthers(answer, subject, query, chosen);
  const counted = others ?? answer;
  const rows = partOf(group, rowsOf(counted, chosen), subject) ?? [];
  const isSplit = group === 'split';
  const isWhole = isSplit || group === 'ways';
  const name = texts.stats.dimensions[chosen];
  return (
    <section class="card breakdown" aria-labelledby={id}>
      <header>
        <h2 id={id}>{title}</h2>
        {dimensions.length > 1 && (
          <div class="tabs" role="group" aria-label={texts.stats.showBy(title)}>
            {dimensions.map((each) => (
              <button
                key={each}
                type="button"
                aria-pressed={each === chosen}
                onClick={() => go(path, withOpen(search, each, dimensions), 'replace')}
              >
                {texts.stats.dimensions[each]}
              </button>
            ))}
          </div>
        )}
      </header>
      <Rows
        dimension={chosen}
        rows={isWhole ? rows : rows.slice(0, SHOWN)}
        answer={counted}
        link={subject.link}
        total={
          isSplit ? rows.reduce((sum, { clicks }) => sum + clicks, 0) : counted.summary.total_clicks
        }
        shareName={isSplit ? texts.stats.ofSplit : texts.stats.share}
        query={query}
        choose={choose}
      />
      {isCampaign(chosen) && rows.every(({ label }) => label === NO_CAMPAIGN) && (
        <p class="hint">{texts.stats.campaignSource(chosen)}</p>
      )}
      {/* Explains why the tags may add up to more than the total. */}
      {chosen === 'tag' && rows.length > 0 && <p class="hint">{counted.notes?.join(' ')}</p>}
      {!isWhole && rows.length > SHOWN && (
        <button type="button" class="plain more" onClick={() => setAllShown(true)}>
          {texts.stats.showAllOf(name)}
        </button>
      )}
      {isAllShown && (
        <Dialog title={name} close={() => setAllShown(false)}>
          <AllRows dimension={chosen} subject={subject} query={query} choose={choose} />
        </Dialog>
      )}
    </section>
  );
}

function withoutFilter(query: StatsQuery, name: Dimension): StatsQuery {
  const filters = Object.entries(query.filters).filter(([each]) => each !== name);
  const audience = name === 'audience' ? 'all' : query.audience;
  const whole = { interval: null, compares: false, filters: Object.fromEntries(filters) };
  return { ...query, ...whole, audience };
}

function keyOf({ key }: Subject, what: string, query: StatsQuery): string {
  return `${key}:${what}:${JSON.stringify(query)}`;
}

/** Returns a dimension's values without this dimension's filter. */
function useOthers(answer: Statistics, subject: Subject, query: StatsQuery, name: Dimension) {
  const isFiltered = isFilteredBy(query, name);
  const whole = withoutFilter(query, name);
  const others = useQuery(isFiltered ? keyOf(subject, `others:${name}`, whole) : null, () =>
    subject.ask(whole, presentSpan(whole), [name], { limit: rowsFor(subject) }),
  );
  const isOld = others.value !== undefined && others.value.generated_at < answer.generated_at;
  useEffect(() => {
    if (isFiltered && isOld) others.reload();
  }, [answer]);
  const kept = useKept(others.value);
  return isFiltered ? kept : undefined;
}

interface RowsProps {
  readonly dimension: Dimension;
  readonly rows: readonly StatsRow[];
  readonly answer: Statistics;
  readonly link: Subject['link'];
  /** Total on which percentages are based. */
  readonly total: number;
  readonly shareName?: string;
  readonly query: StatsQuery;
  readonly choose: (search: URLSearchParams) => void;
}

/** Returns the value's name, and the alias, address or weight below it. */
function namesOf(
  dimension: Dimension,
  value: string,
  { titles, variants }: Statistics,
  link: Subject['link'],
): readonly [name: string, detail: string] {
  const title = dimension === 'short_code' ? titles?.[value] : undefined;
  if (title !== undefined) return [title, value];
  const details: string[] = [];
  if (dimension === 'variant' && link !== undefined) {
    const address = variants?.[value];
    const weight = weightOf(value, link);
    if (address !== undefined) details.push(bare(address));
    if (weight !== undefined) details.push(texts.stats.destinations.weight(count(weight)));
  }
  return [labelOf(dimension, value, link), details.join(' · ')];
}

function Rows(props: RowsProps) {
  const { dimension, rows, answer, link, total, shareName, query, choose } = props;
  const { search } = usePlace();
  const most = rows.reduce((largest, { clicks }) => Math.max(largest, clicks), 1);
  const t = texts.stats;
  return (
    <table class="bars">
      <caption class="unseen">{t.tableOf(t.dimensions[dimension])}</caption>
      <thead>
        <tr>
          <th scope="col">{t.dimensions[dimension]}</th>
          <th scope="col" class="number">
            {t.clicks}
          </th>
          <th scope="col" class="number share">
            {shareName ?? t.share}
          </th>
          <th scope="col" class="number">
            {t.visitors}
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ label, clicks, visitors }) => {
          const isSet = isFilteredBy(query, dimension, label);
          const [name, detail] = namesOf(dimension, label, answer, link);
          const code = dimension === 'country' ? countryCode(label) : '';
          return (
            <tr key={label}>
              <th scope="row">
                <button
                  type="button"
                  class="plain value"
                  aria-pressed={isSet}
                  title={isSet ? t.removeFilter(t.dimensions[dimension], name) : t.addFilter}
                  onClick={() => choose(withFilter(search, dimension, label))}
                >
                  {code !== '' && (
                    <span class="country-code" aria-hidden="true">
                      {code}
                    </span>
                  )}
                  <bdi>{name}</bdi>
                  {detail !== '' && <bdi class="hint"> {detail}</bdi>}
                </button>
                <svg class="bar" aria-hidden="true">
                  <rect width={`${((clicks / most) * 100).toFixed(2)}%`} height="100%" rx="2" />
                </svg>
              </th>
              <td class="number">{count(clicks)}</td>
              <td class="number share">{share(clicks, total)}</td>
              <td class="number">{count(visitors)}</td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

interface AllRowsProps extends Pick<RowsProps, 'dimension' | 'query' | 'choose'> {
  readonly subject: Subject;
}

function AllRows({ dimension, subject, query, choose }: AllRowsProps) {
  const [typed, setTyped] = useState('');
  const whole = withoutFilter(query, dimension);
  const found = useQuery(keyOf(subject, `all:${dimension}`, whole), () =>
    subject.ask(whole, presentSpan(whole), [dimension]),
  );
  if (found.value === undefined) {
    if (found.failure === null) return <Skeleton rows={SHOWN} />;
    return <Problem failure={found.failure} retry={found.reload} />;
  }
  const answer = found.value;
  const rows = rowsOf(answer, dimension);
  const wanted = typed.trim().toLocaleLowerCase();
  const fitting = rows.filter(({ label }) =>
    `${label}\n${namesOf(dimension, label, answer, subject.link)[0]}`
      .toLocaleLowerCase()
      .includes(wanted),
  );
  return (
    <>
      <input
        type="search"
        aria-label={texts.stats.find}
        placeholder={texts.stats.find}
        value={typed}
        data-autofocus
        onInput={(event) => setTyped(event.currentTarget.value)}
      />
      <div
        class="scroll tall"
        tabIndex={0}
        role="region"
        aria-label={texts.stats.dimensions[dimension]}
      >
        <Rows
          dimension={dimension}
          rows={fitting}
          answer={answer}
          link={subject.link}
          total={answer.summary.total_clicks}
          query={query}
          choose={choose}
        />
      </div>
    </>
  );
}
