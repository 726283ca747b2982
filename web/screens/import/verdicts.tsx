import type { paths } from '../../../dist/web-types/schema';
import { useId, useState } from 'preact/hooks';
import { api, bodyOf } from '../../api/client';
import { useQuery } from '../../data/query';
import { count } from '../../format';
import { Icon } from '../../parts/icons';
import { Problem } from '../../parts/problem';
import { Skeleton } from '../../parts/skeleton';
import { isUnfinished, isWritten, type Import } from './standing';
import { words } from './texts';

const EXAMPLES = 10;

type Word = NonNullable<
  NonNullable<paths['/api/v1/imports/{id}/rows']['get']['parameters']['query']>['verdict']
>;

export function Verdicts({ one }: { one: Import }) {
  const { counts, notes } = one;
  const verdicts = inOrder(counts, words.verdicts);
  if (verdicts.length === 0) return null;
  const isRun = !one.dry_run && one.state === 'done';
  return (
    <div class="table-card">
      <table class="list-table verdicts">
        <caption class="unseen">{words.became}</caption>
        <thead>
          <tr>
            <th scope="col">{words.became}</th>
            <th scope="col" class="number">
              {words.number}
            </th>
          </tr>
        </thead>
        <tbody>
          {verdicts.map(([word, rows]) => (
            <Verdict
              key={word}
              one={one}
              word={word}
              text={words.verdicts[word] ?? word}
              rows={rows}
              // Open by default, because these links will not work here.
              isOpen={isRun && !isWritten(word) && word !== 'unchanged'}
            />
          ))}
        </tbody>
        {Object.keys(notes).length > 0 && (
          <tbody>
            <tr>
              <th scope="rowgroup" colSpan={2} class="notes">
                {words.noteTitle}
              </th>
            </tr>
            {inOrder(notes, words.notes).map(([word, rows]) => (
              <Verdict
                key={word}
                one={one}
                word={word}
                text={words.notes[word] ?? word}
                rows={rows}
              />
            ))}
          </tbody>
        )}
      </table>
    </div>
  );
}

/** Returns the words that occur, in display order. */
function inOrder(
  counts: Readonly<Record<string, number>>,
  known: Readonly<Record<string, string>>,
): (readonly [string, number])[] {
  const order = Object.keys(known);
  return Object.entries(counts)
    .filter(([, rows]) => rows > 0)
    .sort(([a], [b]) => order.indexOf(a) - order.indexOf(b));
}

interface VerdictProps {
  readonly one: Import;
  readonly word: string;
  readonly text: string;
  readonly rows: number;
  readonly isOpen?: boolean;
}

function Verdict({ one, word, text, rows, isOpen: isFirstOpen = false }: VerdictProps) {
  const [chosen, setChosen] = useState<boolean | null>(null);
  const isOpen = chosen ?? isFirstOpen;
  const id = useId();
  return (
    <>
      <tr>
        <th scope="row">
          <button
            type="button"
            class="plain opener"
            aria-expanded={isOpen}
            aria-controls={isOpen ? id : undefined}
            onClick={() => setChosen(!isOpen)}
          >
            <Icon name={isOpen ? 'down' : 'forward'} /> <span>{text}</span>
          </button>
        </th>
        <td class="number">{count(rows)}</td>
      </tr>
      {isOpen && (
        <tr class="examples" id={id}>
          <td colSpan={2}>
            <Examples one={one} word={word} rows={rows} />
          </td>
        </tr>
      )}
    </>
  );
}

function Examples({ one, word, rows }: { one: Import; word: string; rows: number }) {
  const run = `${one.dry_run ? 'check' : 'run'}:${one.state}`;
  const found = useQuery(`import-rows:${one.id}:${run}:${word}`, () =>
    rowsOf(one.id, word as Word),
  );
  if (found.value === undefined && found.failure === null) return <Skeleton rows={1} />;
  const rest = rows - EXAMPLES;
  return (
    <>
      <Problem failure={found.failure} retry={found.reload} />
      <ol>
        {found.value?.items.map((row, i) => (
          <li key={i}>
            <span class="hint">{words.row(count(row.row))}</span>{' '}
            {row.alias !== null && (
              <strong>
                <bdi>{row.alias}</bdi>
              </strong>
            )}
            {row.long_url !== null && <bdi class="destination">{row.long_url}</bdi>}
            {row.message !== null && <span class="message">{row.message}</span>}
          </li>
        ))}
      </ol>
      {rest > 0 && !isUnfinished(one) && <p class="hint">{words.more(count(rest))}</p>}
    </>
  );
}

function rowsOf(id: string, verdict: Word) {
  const params = { path: { id }, query: { verdict, pageSize: EXAMPLES } };
  return bodyOf(api.GET('/api/v1/imports/{id}/rows', { params }));
}
