import { useState } from 'preact/hooks';
import { tagKey, tagName } from '../../src/stores/tags/tag';
import type { Failure } from '../api/failure';
import { colourOf, useTags } from '../data/tags';
import { Link } from '../router';
import { texts } from '../texts';
import { Combobox } from './combobox';
import { Icon } from './icons';
import { problemOfTag, problemOfTags } from './link-problems';

export function TagName({ name, colour }: { name: string; colour: string }) {
  return (
    <span class={`tag ${colour}`}>
      <bdi>{name}</bdi>
    </span>
  );
}

/** Maximum number of tags to show. A count replaces the rest. */
const MAX_CHIPS = 3;

interface TagChipsProps {
  readonly names: readonly string[];
  readonly isWhole?: boolean;
}

export function TagChips({ names, isWhole = false }: TagChipsProps) {
  const tags = useTags();
  if (names.length === 0) return null;
  const shown = isWhole ? names : names.slice(0, MAX_CHIPS);
  const rest = names.slice(shown.length);
  return (
    <ul class="tags" aria-label={texts.tags.title}>
      {shown.map((name) => (
        <li key={name}>
          <Link
            to="/links"
            search={new URLSearchParams({ tags: name })}
            class={`tag ${colourOf(name, tags.value)}`}
            title={texts.tags.filterBy(name)}
          >
            <bdi>{name}</bdi>
          </Link>
        </li>
      ))}
      {rest.length > 0 && (
        <li class="hint" title={rest.join(', ')}>
          +{rest.length}
          <span class="unseen"> {texts.tags.more(rest)}</span>
        </li>
      )}
    </ul>
  );
}

interface TagsFieldProps {
  readonly label?: string;
  readonly name?: string;
  readonly chosen: readonly string[];
  readonly change: (names: readonly string[]) => void;
  readonly failure?: Failure | null;
  /** Whether new tag names are allowed. */
  readonly isOpen?: boolean;
  readonly isFirst?: boolean;
}

/** Input for the account's tags. Enter or a comma completes a tag. */
export function TagsField(props: TagsFieldProps) {
  const { label = texts.tags.title, name = 'tags', chosen, change, failure, isOpen = true } = props;
  const [typed, setTyped] = useState('');
  const tags = useTags();
  const keys = new Set(chosen.map(tagKey));
  const known = tags.value?.map((tag) => tag.name) ?? [];
  const options = known.filter((each) => !keys.has(tagKey(each)));
  const problem = typed.trim() === '' ? problemOfTags(chosen) : problemOfTag(typed);
  const add = (...names: readonly string[]): void => {
    const added = names
      .map(tagName)
      .map((each) => known.find((other) => tagKey(other) === tagKey(each)) ?? each)
      .filter((each) => isOpen || known.includes(each))
      .filter((each, i, all) => !keys.has(tagKey(each)) && all.indexOf(each) === i);
    if (added.some((each) => problemOfTag(each) !== null)) return;
    change([...chosen, ...added]);
    setTyped('');
  };
  return (
    <Combobox
      label={label}
      name={name}
      value={typed}
      change={setTyped}
      options={options}
      choose={add}
      show={(option) => <TagName name={option} colour={colourOf(option, tags.value)} />}
      press={(event) => {
        if (event.key === 'Backspace' && typed === '') change(chosen.slice(0, -1));
        else if (event.key !== ',') return;
        else {
          event.preventDefault();
          if (typed.trim() !== '') add(typed);
        }
      }}
      paste={(text) => {
        const names = text.split(/[,\n]/).filter((each) => each.trim() !== '');
        if (names.length < 2) return false;
        add(...names);
        return true;
      }}
      // Leaving the field, for example with the form's button, also adds the typed tag.
      leave={() => typed.trim() !== '' && add(typed)}
      problem={problem ?? failure?.fields[name]}
      hint={isOpen ? texts.tags.fieldHint : texts.tags.removeHint}
      isOptional
      {...(props.isFirst === undefined ? {} : { isFirst: props.isFirst })}
      before={
        chosen.length === 0 ? undefined : (
          <ul class="tags" aria-label={texts.tags.chosen}>
            {chosen.map((each) => (
              <li key={each} class={`tag ${colourOf(each, tags.value)}`}>
                <bdi>{each}</bdi>
                <button
                  type="button"
                  class="plain icon-only"
                  aria-label={texts.tags.remove(each)}
                  onClick={() => change(chosen.filter((other) => other !== each))}
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
