import { count } from '../format';
import { texts } from '../texts';

interface ClicksProps {
  /** Clicks recorded here or imported one by one. */
  readonly recorded: number;
  /** Clicks imported as a total, which have no details. */
  readonly imported?: number | undefined;
  /** Whether to name the numbers, for use in sentences. */
  readonly isNamed?: boolean;
}

/** Shows clicks as the contract counts them (docs/contract.md#22.4). Lists are sorted by the sum. */
export function Clicks({ recorded, imported = 0, isNamed = false }: ClicksProps) {
  const t = texts.clicks;
  const [here, before] = [count(recorded), count(imported)];
  if (isNamed) return <>{t.named(here, recorded, imported === 0 ? null : before)}</>;
  if (imported === 0) return <>{here}</>;
  const meaning = t.meaning(before, here);
  return (
    <span class="clicks" title={`${meaning}: ${t.sum(count(recorded + imported))}`}>
      <span aria-hidden="true">
        {before} + {here}
      </span>
      <span class="unseen">{meaning}</span>
    </span>
  );
}
