import { ago, dateTime } from '../format';

/** A time as people say it, with the exact one behind it. */
export function Ago({ at }: { at: Date }) {
  return (
    <time dateTime={at.toISOString()} title={dateTime(at)}>
      {ago(at)}
    </time>
  );
}
