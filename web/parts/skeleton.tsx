import { texts } from '../texts';

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
