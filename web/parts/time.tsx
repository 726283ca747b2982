import { ago, dateTime } from '../format';

export function Ago({ at, style = 'long' }: { at: Date; style?: 'long' | 'short' }) {
  return (
    <time dateTime={at.toISOString()} title={dateTime(at)}>
      {ago(at, style)}
    </time>
  );
}
