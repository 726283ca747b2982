import type { ComponentChildren } from 'preact';

interface ScreenHeadProps {
  readonly title: ComponentChildren;
  /** Text below the title, or an element with its own class. */
  readonly lead?: ComponentChildren;
  /** Buttons beside the title. */
  readonly children?: ComponentChildren;
}

export function ScreenHead({ title, lead, children }: ScreenHeadProps) {
  return (
    <header class="screen-head">
      <div>
        <h1 tabIndex={-1}>{title}</h1>
        {typeof lead === 'string' ? <p class="lead">{lead}</p> : lead}
      </div>
      {children}
    </header>
  );
}
