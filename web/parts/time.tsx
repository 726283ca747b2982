import { ago, dateTime } from '../format';

/** A time as people say it, with the exact one behind it. */
export function Ago({ at, style = 'long' }: { at: Date; style?: 'long' | 'short' }) {
  return (
    <time dateTime={at.toISOString()} title={dateTime(at)}>
      {ago(at, style)}
    </time>
  );
}
