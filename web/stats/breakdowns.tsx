import { useId, useState } from 'preact/hooks';
import { count, share } from '../format';
import { Dialog } from '../parts/dialog';
import { usePlace } from '../router';
import { texts } from '../texts';
import { labelOf } from './labels';
import { type Dimension, type StatsQuery, withFilter } from './stats-query';
import { rowsOf, type Statistics, type StatsRow, type Subject } from './subject';

const GROUPS = [
  { name: 'links', dimensions: ['short_code'] },
  { name: 'sources', dimensions: ['referrer', 'utm_source', 'utm_medium', 'utm_campaign'] },
  { name: 'places', dimensions: ['country', 'city'] },
  { name: 'technology', dimensions: ['browser', 'os', 'device'] },
] as const satisfies readonly { name: string; dimensions: readonly Dimension[] }[];

/** Rows that a card shows; all of them open in a dialog. */
const SHOWN = 8;

interface BreakdownsProps {
  readonly answer: Statistics;
  readonly subject: Subject;
  readonly query: StatsQuery;
  readonly choose: (search: URLSearchParams) => void;
}

export function Breakdowns({ answer, subject, query, choose }: BreakdownsProps) {
  const groups = GROUPS.filter(({ dimensions }) =>
    dimensions.some((name) => subject.dimensions.includes(name)),
  );
  return (
    <div class={`breakdowns of-${count(groups.length)}`}>
      {groups.map(({ name, dimensions }) => (
        <Group
          key={name}
          title={texts.stats.groups[name]}
          dimensions={dimensions}
          answer={answer}
          query={query}
          choose={choose}
        />
      ))}
    </div>
  );
}

interface GroupProps extends Omit<BreakdownsProps, 'subject'> {
  readonly title: string;
  readonly dimensions: readonly Dimension[];
}

/** Dimensions that belong together; one is shown at a time. */
function Group({ title, dimensions, answer, query, choose }: GroupProps) {
  const [chosen, setChosen] = useState<Dimension>(dimensions[0] ?? 'referrer');
  const [isAllShown, setAllShown] = useState(false);
  const id = useId();
  const rows = rowsOf(answer, chosen);
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
                onClick={() => setChosen(each)}
              >
                {texts.stats.dimensions[each]}
              </button>
            ))}
          </div>
        )}
      </header>
      <Rows
        dimension={chosen}
        rows={rows.slice(0, SHOWN)}
        all={rows}
        query={query}
        choose={choose}
      />
      {rows.length > SHOWN && (
        <button type="button" class="plain more" onClick={() => setAllShown(true)}>
          {texts.stats.all(count(rows.length))}
        </button>
      )}
      {isAllShown && (
        <Dialog title={name} close={() => setAllShown(false)}>
          <AllRows dimension={chosen} rows={rows} query={query} choose={choose} />
        </Dialog>
      )}
    </section>
  );
}

interface RowsProps {
  readonly dimension: Dimension;
  readonly rows: readonly StatsRow[];
  /** The list that shares are parts of. */
  readonly all: readonly StatsRow[];
  readonly query: StatsQuery;
  readonly choose: (search: URLSearchParams) => void;
}

function Rows({ dimension, rows, all, query, choose }: RowsProps) {
  const { search } = usePlace();
  const total = all.reduce((sum, { clicks }) => sum + clicks, 0);
  const most = all.reduce((largest, { clicks }) => Math.max(largest, clicks), 1);
  const t = texts.stats;
  return (
    <table class="bars">
      <caption class="unseen">{t.tableOf(t.dimensions[dimension])}</caption>
      <thead>
        <tr>
          <th scope="col">{t.dimensions[dimension]}</th>
          <th scope="col" class="number">
            {t.visitors}
          </th>
          <th scope="col" class="number">
            {t.clicks}
          </th>
          <th scope="col" class="number share">
            {t.share}
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ label, clicks, visitors }) => {
          const isSet = query.filters[dimension]?.includes(label) === true;
          return (
            <tr key={label}>
              <th scope="row">
                <button
                  type="button"
                  class="plain value"
                  aria-pressed={isSet}
                  title={isSet ? t.removeFilter(t.dimensions[dimension], label) : t.addFilter}
                  onClick={() => choose(withFilter(search, dimension, label))}
                >
                  <bdi>{labelOf(dimension, label)}</bdi>
                </button>
                <svg class="bar" aria-hidden="true">
                  <rect width={`${((clicks / most) * 100).toFixed(2)}%`} height="100%" rx="2" />
                </svg>
              </th>
              <td class="number">{count(visitors)}</td>
              <td class="number">{count(clicks)}</td>
              <td class="number share">{share(clicks, total)}</td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

/** All values, to be looked through. */
function AllRows({ dimension, rows, query, choose }: Omit<RowsProps, 'all'>) {
  const [typed, setTyped] = useState('');
  const wanted = typed.trim().toLocaleLowerCase();
  const found = rows.filter(({ label }) => label.toLocaleLowerCase().includes(wanted));
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
        <Rows dimension={dimension} rows={found} all={rows} query={query} choose={choose} />
      </div>
    </>
  );
}
