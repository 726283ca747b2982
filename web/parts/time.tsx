import { useId } from 'preact/hooks';
import { ago, dateTime, plainDay } from '../format';

export function Ago({ at, style = 'long' }: { at: Date; style?: 'long' | 'short' }) {
  return (
    <time dateTime={at.toISOString()} title={dateTime(at)}>
      {ago(at, style)}
    </time>
  );
}

interface DayFieldProps {
  readonly label: string;
  readonly value: string;
  readonly change: (value: string) => void;
  readonly max?: string;
}

/** A date field. Browsers show dates in their own language and order, so the date is repeated in words. */
export function DayField({ label, value, change, max }: DayFieldProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        type="date"
        max={max}
        value={value}
        onChange={(event) => change(event.currentTarget.value)}
      />
      {!Number.isNaN(Date.parse(value)) && <p class="hint">{plainDay(value)}</p>}
    </div>
  );
}
