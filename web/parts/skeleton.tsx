import type { Query } from '../data/query';
import { texts } from '../texts';
import { isFinal, Problem } from './problem';

export function Skeleton({
  rows = 5,
  kind = 'rows',
}: {
  rows?: number;
  kind?: 'rows' | 'chart' | 'totals';
}) {
  return (
    <div class={`skeleton of-${kind}`} role="status">
      <span class="unseen">{texts.loading}</span>
      {Array.from({ length: kind === 'chart' ? 1 : rows }, (_, i) => (
        <span key={i} class="bone" aria-hidden="true" />
      ))}
    </div>
  );
}

/** A query's problem, and a placeholder until there is a value. */
export function Loading({ found, rows }: { found: Query<unknown>; rows: number }) {
  const { value, failure, reload } = found;
  return (
    <>
      <Problem failure={failure} retry={reload} />
      {value === undefined && !isFinal(failure) && <Skeleton rows={rows} />}
    </>
  );
}
