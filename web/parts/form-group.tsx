import type { ComponentChildren } from 'preact';
import { useEffect, useId, useState } from 'preact/hooks';
import type { Failure } from '../api/failure';
import { Icon } from './icons';

/** Whether one of these fields, or a part of it such as `rules.0.to`, has an error. */
export const isRefused = (failure: Failure | null, fields: readonly string[]): boolean =>
  Object.keys(failure?.fields ?? {}).some((name) => fields.includes(name.split('.')[0] ?? name));

interface FormGroupProps {
  readonly title: string;
  /** Contents of the group, shown while it is closed. */
  readonly hint: string;
  readonly isOpenAtFirst: boolean;
  readonly isRefused: boolean;
  readonly children: ComponentChildren;
}

/** A part of a form that is closed until it is needed. */
export function FormGroup(props: FormGroupProps) {
  const { title, hint, isOpenAtFirst, isRefused: hasError, children } = props;
  const id = useId();
  const [isOpen, setOpen] = useState(isOpenAtFirst);
  useEffect(() => {
    if (hasError) setOpen(true);
  }, [hasError]);
  // Opens immediately, so that an invalid field exists when it receives focus.
  const isShown = isOpen || hasError;
  return (
    <section class="form-group">
      <h3>
        <button
          type="button"
          class="plain"
          aria-expanded={isShown}
          aria-controls={id}
          onClick={() => setOpen(!isShown)}
        >
          {title} <Icon name="forward" />
        </button>
      </h3>
      {!isShown && <p class="hint">{hint}</p>}
      <div id={id} role="group" aria-label={title} hidden={!isShown}>
        {children}
      </div>
    </section>
  );
}
