import { Component, type ComponentChildren, type ComponentType } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { Failure } from '../api/failure';
import { Problem } from '../parts/problem';
import { Skeleton } from '../parts/skeleton';
import { texts } from '../texts';
import { type Load, type Missing, useChunk } from './chunks';

export interface ScreenModule {
  readonly default: ComponentType<{ readonly id: string }>;
}

interface ScreenProps {
  readonly load: Load<ScreenModule>;
  readonly id: string;
  readonly loaded: () => void;
}

let isFirst = true;

export function Screen({ load, id, loaded }: ScreenProps) {
  const { chunk, missing, retry } = useChunk(load);
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (chunk === null) return;
    // Focuses the new screen's heading, for keyboards and screen readers.
    if (!isFirst && document.querySelector('dialog[open]') === null) {
      const active = document.activeElement;
      const isInside = active !== null && place.current?.contains(active) === true;
      if (!isInside) place.current?.querySelector<HTMLElement>('h1')?.focus();
      scrollTo(0, 0);
    }
    isFirst = false;
    loaded();
  }, [chunk]);
  if (missing !== null) return <MissingPart why={missing} retry={retry} />;
  if (chunk === null) return <Skeleton rows={6} />;
  const { default: Content } = chunk;
  return (
    <div ref={place}>
      <Boundary>
        <Content id={id} />
      </Boundary>
    </div>
  );
}

export function MissingPart({ why, retry }: { why: Missing; retry: () => void }) {
  if (why === 'away') return <Problem failure={Failure.away()} retry={retry} />;
  return (
    <section class="card narrow">
      <h1 tabIndex={-1}>{texts.updated.title}</h1>
      <p>{texts.updated.text}</p>
      <div class="actions">
        <button type="button" onClick={() => location.reload()}>
          {texts.updated.reload}
        </button>
        <button type="button" class="quiet" onClick={retry}>
          {texts.problems.retry}
        </button>
      </div>
    </section>
  );
}

/** Limits a rendering error to the screen that caused it. */
class Boundary extends Component<{ children: ComponentChildren }, { hasFailed: boolean }> {
  override state = { hasFailed: false };

  override componentDidCatch(error: unknown): void {
    console.error(error);
    this.setState({ hasFailed: true });
  }

  override render() {
    if (!this.state.hasFailed) return this.props.children;
    return (
      <section class="card narrow">
        <h1 tabIndex={-1}>{texts.broken.title}</h1>
        <p>{texts.broken.text}</p>
        <button type="button" onClick={() => location.reload()}>
          {texts.updated.reload}
        </button>
      </section>
    );
  }
}
