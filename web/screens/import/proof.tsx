import { count } from '../../format';
import { Icon } from '../../parts/icons';
import { words } from './texts';
import type { Import } from './standing';

/** Compares a completed run with the database (docs/contract.md#22.8). */
export function Proof({ proof }: { proof: NonNullable<Import['proof']> }) {
  const { differences, ...parts } = proof;
  return (
    <section class="card">
      <h2>{words.proof}</h2>
      <ul class="proof">
        {Object.entries(words.proofs).map(([part, [good, bad]]) => {
          const isGood = (parts as Readonly<Record<string, unknown>>)[part];
          if (typeof isGood !== 'boolean') return null;
          return <Line key={part} isGood={isGood} text={isGood ? good : bad} />;
        })}
        <Line
          isGood={differences === 0}
          text={
            differences === 0
              ? words.noDifferences
              : words.differences(count(differences), differences)
          }
        />
      </ul>
    </section>
  );
}

function Line({ isGood, text }: { isGood: boolean; text: string }) {
  return (
    <li class={isGood ? 'good' : 'bad'}>
      <Icon name={isGood ? 'check' : 'warning'} /> {text}
    </li>
  );
}
