import { useState } from 'preact/hooks';
import { withPartials } from '../../../src/pages/chart-drawing';
import { useKept, useQuery } from '../../data/query';
import { count } from '../../format';
import { Chart } from '../../parts/chart';
import { Clicks } from '../../parts/clicks';
import { Combobox } from '../../parts/combobox';
import { Empty } from '../../parts/empty';
import { Icon } from '../../parts/icons';
import { isFinal, Problem } from '../../parts/problem';
import { Skeleton } from '../../parts/skeleton';
import { goWith, usePlace } from '../../router';
import { compareRows } from '../../stats/compare-rows';
import { Controls } from '../../stats/controls';
import { dayIn } from '../../stats/span';
import { Intervals } from '../../stats/statistics';
import { intervalOf, presentSpan, readStatsQuery, type StatsQuery } from '../../stats/stats-query';
import { ACCOUNT, importedOf, rowsOf, type Statistics } from '../../stats/subject';
import { texts } from '../../texts';

const KINDS = ['tag', 'utm_campaign', 'short_code'] as const;
type Kind = (typeof KINDS)[number];

/** Maximum number of values to suggest. Users have to type all other values in full. */
const MAX_VALUES = 500;

export function Compare() {
  const { search } = usePlace();
  const query: StatsQuery = { ...readStatsQuery(search), filters: {}, compares: false };
  const kind = KINDS.find((each) => each === search.get('kind')) ?? 'tag';
  const values = useValues(kind);
  // By default, compares the two values with the most clicks.
  const first = search.get('a') ?? values?.all[0] ?? '';
  const second = search.get('b') ?? values?.all.find((value) => value !== first) ?? '';
  const span = presentSpan(query);
  const named = (value: string): string => nameOf(value, values?.titles);
  const t = texts.compare;
  return (
    <div class="statistics compare">
      <div class="compared">
        <fieldset class="choices">
          <legend class="unseen">{t.kind}</legend>
          {KINDS.map((each) => (
            <label key={each}>
              <input
                type="radio"
                name="kind"
                checked={kind === each}
                onChange={() => goWith({ kind: each === 'tag' ? null : each, a: null, b: null })}
              />
              <span>{t.kinds[each]}</span>
            </label>
          ))}
        </fieldset>
        <Side
          label={t.first}
          value={first}
          values={values}
          choose={(a) => goWith({ a, b: second })}
        />
        <Side
          label={t.second}
          value={second}
          values={values}
          choose={(b) => goWith({ a: first, b })}
        />
      </div>
      <Controls query={query} subject={ACCOUNT} isLive={false} canCompare={false}>
        <Intervals query={query} span={span} />
      </Controls>
      {values?.all.length === 0 && (
        <Empty icon="analytics" title={t.none[kind]}>
          <p>{t.noneHint}</p>
        </Empty>
      )}
      {first !== '' && second !== '' && (
        <Both
          kind={kind}
          values={[first, second]}
          names={[named(first), named(second)]}
          query={query}
        />
      )}
    </div>
  );
}

interface SideProps {
  readonly label: string;
  readonly value: string;
  readonly values: Values | undefined;
  readonly choose: (value: string) => void;
}

function Side({ label, value, values, choose }: SideProps) {
  const [typed, setTyped] = useState<string | null>(null);
  // Names are unique, because they contain the value.
  const byName = new Map(values?.all.map((each) => [nameOf(each, values.titles), each]));
  const take = (name: string): void => {
    setTyped(null);
    const next = byName.get(name);
    if (next !== undefined && next !== value) choose(next);
  };
  return (
    <Combobox
      label={label}
      name={label}
      value={typed ?? nameOf(value, values?.titles)}
      change={setTyped}
      options={[...byName.keys()]}
      isWhole={typed === null}
      choose={take}
      leave={() => {
        const words = typed?.trim().toLowerCase();
        const known = [...byName].find((each) => each.some((text) => text.toLowerCase() === words));
        take(known?.[0] ?? '');
      }}
    />
  );
}

interface BothProps {
  readonly kind: Kind;
  readonly values: readonly [string, string];
  readonly names: readonly [string, string];
  readonly query: StatsQuery;
}

function Both({ kind, values: [valueA, valueB], names, query }: BothProps) {
  const { search } = usePlace();
  const [a, b] = [useSeries(kind, valueA, query), useSeries(kind, valueB, query)];
  // Keeps the names with the figures that they belong to.
  const shown = useKept(
    a.value === undefined || b.value === undefined
      ? undefined
      : { answers: [a.value, b.value] as const, names },
  );
  const failure = a.failure ?? b.failure;
  const retry = () => {
    a.reload();
    b.reload();
  };
  const problem = <Problem failure={failure} retry={retry} />;
  const t = texts.compare;
  if (shown === undefined) {
    return (
      <>
        {problem}
        {!isFinal(failure) && <Skeleton kind="chart" />}
      </>
    );
  }
  const [shownA, shownB] = shown.answers;
  const [first, second] = shown.names;
  const together = search.get('align') === 'start';
  const strategy = shownA.time_bucket_info?.strategy ?? 'daily';
  const { rows, moved } = compareRows(rowsOf(shownA, 'time'), rowsOf(shownB, 'time'), together);
  const span = presentSpan(query);
  const points = together
    ? rows
    : withPartials(strategy, rows, {
        from: span.start === null ? null : dayIn(span.start, query.zone),
        isOpen: span.end === null,
      });
  return (
    <>
      {problem}
      <Sums first={first} second={second} a={shownA} b={shownB} />
      <section class="card">
        <header class="card-head">
          <h2>{texts.stats.perStep(texts.stats.units[strategy])}</h2>
          <button
            type="button"
            class="quiet small toggle"
            aria-pressed={together}
            title={t.togetherHint}
            onClick={() => goWith({ align: together ? null : 'start' }, 'replace')}
          >
            {together && <Icon name="check" />} {t.together}
          </button>
        </header>
        <Chart buckets={strategy} rows={points} names={shown.names} />
        {moved !== null && (
          <p class="hint">
            <bdi>{moved.which === 'first' ? first : second}</bdi>{' '}
            {t.moved(moved.by, texts.stats.units[strategy] ?? '')}
          </p>
        )}
        <p class="hint zone-note">{texts.stats.inZone(query.zone)}</p>
      </section>
    </>
  );
}

interface SumsProps {
  readonly first: string;
  readonly second: string;
  readonly a: Statistics;
  readonly b: Statistics;
}

function Sums({ first, second, a, b }: SumsProps) {
  const t = texts.stats;
  const sides = [
    { name: first, key: 'now', answer: a },
    { name: second, key: 'other', answer: b },
  ] as const;
  return (
    <div class="table-card">
      <table class="tag-table">
        <caption class="unseen">{texts.compare.sums}</caption>
        <thead>
          <tr>
            <th scope="col">
              <span class="unseen">{texts.compare.which}</span>
            </th>
            <th scope="col" class="number">
              {t.clicks}
            </th>
            <th scope="col" class="number">
              {t.visitors}
            </th>
            <th scope="col" class="number wide-only">
              {t.perVisitor}
            </th>
          </tr>
        </thead>
        <tbody>
          {sides.map(({ name, key, answer }) => (
            <tr key={key}>
              <th scope="row">
                <span class={`key ${key}`} /> <bdi>{name}</bdi>
              </th>
              <td class="number">
                <Clicks recorded={answer.summary.total_clicks} imported={importedOf(answer)} />
              </td>
              <td class="number">{count(answer.summary.unique_clicks)}</td>
              <td class="number wide-only">
                {answer.computed_metrics === null
                  ? '–'
                  : count(answer.computed_metrics.average_clicks_per_visitor)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface Values {
  readonly all: readonly string[];
  /** Titles of links by alias. */
  readonly titles: Statistics['titles'];
}

const nameOf = (value: string, titles: Statistics['titles']): string =>
  titles?.[value] === undefined ? value : `${titles[value]} (${value})`;

/** Returns values by all-time clicks, most clicks first. */
function useValues(kind: Kind): Values | undefined {
  const query = readStatsQuery(new URLSearchParams());
  const ever = { start: new Date(0), end: null, days: null };
  const answer = useQuery(`stats:account:values:${kind}`, () =>
    ACCOUNT.ask(query, ever, [kind], { limit: MAX_VALUES }),
  ).value;
  if (answer === undefined) return undefined;
  const all = rowsOf(answer, kind).map(({ label }) => label);
  const { titles } = answer;
  return { all: all.filter((label) => label !== '(none)'), titles };
}

function useSeries(kind: Kind, value: string, query: StatsQuery) {
  const filtered: StatsQuery = { ...query, filters: { [kind]: [value] } };
  return useQuery(`stats:account:compare:${JSON.stringify(filtered)}`, () => {
    const span = presentSpan(filtered);
    return ACCOUNT.ask(filtered, span, ['time'], { interval: intervalOf(filtered, span) });
  });
}
