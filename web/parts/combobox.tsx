import type { ComponentChildren } from 'preact';
import { useId, useRef, useState } from 'preact/hooks';
import { texts } from '../texts';
import { FieldNotes } from './form';

/** Maximum number of options to show. Typing narrows the list. */
const MAX_OFFERS = 50;

export interface ComboboxProps {
  readonly label: string;
  readonly name: string;
  readonly value: string;
  readonly change: (value: string) => void;
  readonly options: readonly string[];
  /** Whether to show all options, regardless of the input. */
  readonly isWhole?: boolean;
  /** Called with the chosen option or the input. By default, an option becomes the value. */
  readonly choose?: (value: string) => void;
  /** Renders an option; its text by default. */
  readonly show?: (option: string) => ComponentChildren;
  readonly before?: ComponentChildren;
  readonly press?: (event: KeyboardEvent) => void;
  readonly paste?: (text: string) => boolean;
  readonly leave?: () => void;
  readonly problem?: string | undefined;
  readonly hint?: string;
  readonly placeholder?: string;
  readonly isOptional?: boolean;
  readonly isFirst?: boolean;
}

/**
 * A text field with suggestions according to the ARIA combobox pattern. Arrow keys move, Enter
 * accepts, Esc closes.
 */
export function Combobox(props: ComboboxProps) {
  const { label, name, value, change, options, choose, show, before, problem, hint } = props;
  const id = useId();
  const [isOpen, setOpen] = useState(false);
  const [active, setActive] = useState(-1);
  const list = useRef<HTMLUListElement>(null);
  const fitting = offersFor(props.isWhole === true ? '' : value, options);
  const offers = isOpen ? fitting : [];
  const isShown = offers.length > 0;
  const at = Math.min(active, offers.length - 1);
  const take = (option: string): void => {
    (choose ?? change)(option);
    setOpen(false);
    setActive(-1);
  };
  const move = (to: number): void => {
    setOpen(true);
    setActive(to);
    // Scrolls after the list is rendered.
    setTimeout(() => list.current?.children[to]?.scrollIntoView({ block: 'nearest' }));
  };
  const press = (event: KeyboardEvent): void => {
    const count = fitting.length;
    const chosen = isShown ? offers[at] : undefined;
    if (event.isComposing) return;
    if (event.key === 'ArrowDown' && count > 0) move(isShown ? (at + 1) % count : 0);
    else if (event.key === 'ArrowUp' && count > 0) move(at <= 0 ? count - 1 : at - 1);
    else if (event.key === 'Escape' && isShown) setOpen(false);
    else if (event.key === 'Enter' && chosen !== undefined) take(chosen);
    else if (event.key === 'Enter' && choose !== undefined && value.trim() !== '') take(value);
    else {
      props.press?.(event);
      return;
    }
    event.preventDefault();
    // Esc must not close the surrounding dialog.
    event.stopPropagation();
  };
  const describedBy = [
    hint !== undefined && `${id}-hint`,
    problem !== undefined && `${id}-problem`,
  ].filter(Boolean);
  return (
    <div class="field">
      <label for={id}>
        {label}
        {props.isOptional === true && <span class="hint"> {texts.optional}</span>}
      </label>
      <div
        class={before === undefined ? 'combobox' : 'combobox with-chosen'}
        onFocusOut={(event) => {
          if (event.currentTarget.contains(event.relatedTarget as Node | null)) return;
          setOpen(false);
          setActive(-1);
          props.leave?.();
        }}
      >
        {before}
        <input
          id={id}
          name={name}
          type="text"
          role="combobox"
          aria-expanded={isShown}
          aria-controls={`${id}-list`}
          aria-autocomplete="list"
          aria-activedescendant={isShown && at >= 0 ? `${id}-${at}` : undefined}
          aria-invalid={problem !== undefined}
          aria-describedby={describedBy.length > 0 ? describedBy.join(' ') : undefined}
          autocomplete="off"
          autocapitalize="none"
          spellcheck={false}
          dir="auto"
          placeholder={props.placeholder}
          value={value}
          data-autofocus={props.isFirst === true ? '' : undefined}
          onInput={(event) => {
            setOpen(true);
            setActive(-1);
            change(event.currentTarget.value);
          }}
          onClick={() => setOpen(true)}
          onKeyDown={press}
          onPaste={(event) => {
            const text = event.clipboardData?.getData('text') ?? '';
            if (props.paste?.(text) === true) event.preventDefault();
          }}
        />
        <ul
          ref={list}
          id={`${id}-list`}
          class="offers"
          role="listbox"
          aria-label={texts.offers}
          hidden={!isShown}
        >
          {offers.map((option, i) => (
            <li
              key={option}
              id={`${id}-${i}`}
              role="option"
              aria-selected={i === at}
              // Keeps the focus in the field.
              onMouseDown={(event) => event.preventDefault()}
              onClick={() => take(option)}
            >
              {show === undefined ? <bdi>{option}</bdi> : show(option)}
            </li>
          ))}
        </ul>
      </div>
      <FieldNotes id={id} problem={problem} hint={hint} />
    </div>
  );
}

/** Returns the options that contain the input. Options that begin with it come first. */
export function offersFor(typed: string, options: readonly string[]): readonly string[] {
  const wanted = typed.trim().toLocaleLowerCase();
  const places = options
    .map((option) => [option, option.toLocaleLowerCase().indexOf(wanted)] as const)
    .filter(([, at]) => at >= 0);
  return [...places.filter(([, at]) => at === 0), ...places.filter(([, at]) => at > 0)]
    .slice(0, MAX_OFFERS)
    .map(([option]) => option);
}
