import { useState } from 'preact/hooks';
import { texts } from '../texts';
import { Combobox, offersFor } from './combobox';
import { Icon } from './icons';

interface ValuesProps {
  readonly label: string;
  readonly name: string;
  readonly values: readonly string[];
  readonly change: (values: readonly string[]) => void;
  /** Values by display text. */
  readonly offers: ReadonlyMap<string, string>;
  readonly isOpen: boolean;
  readonly hasCommas?: boolean;
  readonly problem?: string | undefined;
  readonly hint?: string;
  readonly isOptional?: boolean;
}

export function Values({ values, change, offers, isOpen, hasCommas, ...rest }: ValuesProps) {
  const [typed, setTyped] = useState('');
  const left = [...offers].filter(([, value]) => !values.includes(value)).map(([text]) => text);
  const wordsOf = (value: string): string =>
    [...offers].find(([, offered]) => offered === value)?.[0] ?? value;
  /** Returns the value of the option with this text or value, otherwise the input. */
  const meant = (text: string): string | null => {
    const wanted = text.trim().toLowerCase();
    const exact = [...offers].find(([words, value]) =>
      [words.toLowerCase(), value.toLowerCase()].includes(wanted),
    );
    if (exact !== undefined) return exact[1];
    if (isOpen) return text.trim();
    const fitting = offersFor(text, left);
    return fitting.length === 1 ? (offers.get(fitting[0] ?? '') ?? null) : null;
  };
  const add = (text: string): void => {
    const parts = (hasCommas === true ? [text] : text.split(',')).filter(
      (part) => part.trim() !== '',
    );
    const found = parts.map(meant).filter((value) => value !== null);
    if (found.length === 0 || found.length < parts.length) return;
    change([...new Set([...values, ...found])]);
    setTyped('');
  };
  const isUnknown = !isOpen && typed.trim() !== '' && offersFor(typed, left).length === 0;
  return (
    <Combobox
      {...rest}
      problem={isUnknown && meant(typed) === null ? texts.rules.problems.unknown : rest.problem}
      value={typed}
      change={setTyped}
      options={left}
      choose={add}
      press={(event) => {
        if (event.key === 'Backspace' && typed === '') change(values.slice(0, -1));
        else if (event.key === ',' && hasCommas !== true) {
          event.preventDefault();
          add(typed);
        }
      }}
      // Leaving the field, for example with the form's button, also adds the typed value.
      leave={() => add(typed)}
      before={
        values.length === 0 ? undefined : (
          <ul class="tags">
            {values.map((value) => (
              <li key={value} class="tag grey">
                <bdi>{wordsOf(value)}</bdi>
                <button
                  type="button"
                  class="plain icon-only"
                  aria-label={texts.rules.takeAway(wordsOf(value))}
                  onClick={() => change(values.filter((other) => other !== value))}
                >
                  <Icon name="close" />
                </button>
              </li>
            ))}
          </ul>
        )
      }
    />
  );
}
