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

/** Whether a query has failed for good. After a rate limit, queries resume automatically. */
export const isFinal = (failure: Failure | null): boolean =>
  failure !== null && failure.status !== 429;

interface ProblemProps {
  readonly failure: Failure | null;
  readonly retry?: () => void;
  /** Whether the request is repeated automatically once the limit allows it, as queries are. */
  readonly resumesItself?: boolean;
}

export function Problem({ failure, retry, resumesItself = retry !== undefined }: ProblemProps) {
  const left = useSecondsUntil(failure?.retryAt ?? null);
  if (failure === null) return null;
  const resumes = resumesItself && failure.status === 429;
  const { problems } = texts;
  return (
    <div class={resumes ? 'problem resumes' : 'problem'} role="alert">
      <p>{resumes ? problems.limit : failure.message}</p>
      {left > 0 && (
        <p>
          <span aria-hidden="true">
            {resumes ? problems.resumes(duration(left)) : problems.waits(duration(left))}
          </span>
          <span class="unseen">{resumes ? problems.resuming : problems.waiting}</span>
        </p>
      )}
      {retry !== undefined && left === 0 && (
        <button type="button" class="quiet small" onClick={retry}>
          {problems.retry}
        </button>
      )}
    </div>
  );
}
