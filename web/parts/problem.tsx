import { useEffect, useState } from 'preact/hooks';
import type { Failure } from '../api/failure';
import { duration } from '../format';
import { texts } from '../texts';

/** Returns the seconds until a time; 0 if it has passed. */
export function useSecondsUntil(at: number | null): number {
  const secondsLeft = (): number =>
    at === null ? 0 : Math.max(Math.ceil((at - Date.now()) / 1000), 0);
  const [left, setLeft] = useState(secondsLeft);
  useEffect(() => {
    setLeft(secondsLeft());
    if (at === null) return;
    const timer = setInterval(() => {
      setLeft(secondsLeft());
      if (secondsLeft() === 0) clearInterval(timer);
    }, 250);
    return () => clearInterval(timer);
  }, [at]);
  return left;
}

export function Problem({ failure, retry }: { failure: Failure | null; retry?: () => void }) {
  const left = useSecondsUntil(failure?.retryAt ?? null);
  if (failure === null) return null;
  return (
    <div class="problem" role="alert">
      <p>{failure.message}</p>
      {left > 0 && (
        <p>
          <span aria-hidden="true">{texts.problems.waits(duration(left))}</span>
          <span class="unseen">{texts.problems.waiting}</span>
        </p>
      )}
      {retry !== undefined && left === 0 && (
        <button type="button" class="quiet small" onClick={retry}>
          {texts.problems.retry}
        </button>
      )}
    </div>
  );
}
