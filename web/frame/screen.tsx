import { Component, type ComponentChildren, type ComponentType } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Skeleton } from '../parts/skeleton';
import { texts } from '../texts';

export interface ScreenModule {
  readonly default: ComponentType<{ readonly id: string }>;
}

interface ScreenProps {
  readonly load: () => Promise<ScreenModule>;
  readonly id: string;
}

let isFirst = true;

/** Loads a screen and shows it; a file that is no longer there means that the service was updated. */
export function Screen({ load, id }: ScreenProps) {
  const [module, setModule] = useState<ScreenModule | null>(null);
  const [isGone, setGone] = useState(false);
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    load().then(setModule, () => setGone(true));
  }, [load]);
  useEffect(() => {
    if (module === null) return;
    // Who moves to another screen starts at its heading, also with the keyboard or a screen reader.
    if (!isFirst && document.querySelector('dialog[open]') === null) {
      const active = document.activeElement;
      const isInside = active !== null && place.current?.contains(active) === true;
      if (!isInside) place.current?.querySelector<HTMLElement>('h1')?.focus();
      scrollTo(0, 0);
    }
    isFirst = false;
  }, [module]);
  if (isGone) return <Updated />;
  if (module === null) return <Skeleton rows={6} />;
  const { default: Content } = module;
  return (
    <div ref={place}>
      <Boundary>
        <Content id={id} />
      </Boundary>
    </div>
  );
}

function Updated() {
  return (
    <section class="card narrow">
      <h1 tabIndex={-1}>{texts.updated.title}</h1>
      <p>{texts.updated.text}</p>
      <button type="button" onClick={() => location.reload()}>
        {texts.updated.reload}
      </button>
    </section>
  );
}

/** A mistake of the program shows itself in its screen and leaves the others alone. */
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
