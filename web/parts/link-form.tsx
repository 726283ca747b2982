import { typedAddress } from '../../src/common/typed-address';
import type { Schemas } from '../api/client';
import type { Failure } from '../api/failure';
import { localInput } from '../format';
import { texts } from '../texts';
import { hostOf } from '../data/domains';
import { Campaign } from './campaign';
import { type ChosenDomain, DomainChoice } from './domain-choice';
import { Check, Field } from './form';
import { type LinkDraft, problemsOfTyping } from './link-problems';
import { Ways, WAY_FIELDS } from './link-ways';
import { TagsField } from './tags';

/** API fields whose problems appear next to their inputs. */
export const LINK_FIELDS = [
  'long_url',
  'domain',
  'alias',
  'title',
  'note',
  'tags',
  'password',
  'max_clicks',
  'expire_after',
  ...WAY_FIELDS,
] as const;

interface FieldsProps {
  readonly draft: LinkDraft;
  readonly change: (changes: Partial<LinkDraft>) => void;
  readonly failure: Failure | null;
  readonly isNew: boolean;
  readonly chosen: ChosenDomain;
  /** Text that confirms that a new alias is available. */
  readonly aliasHint?: string | null;
  /** Text that explains why the alias is unavailable. */
  readonly aliasProblem?: string | undefined;
  /** The saved link; absent for a new link. */
  readonly link?: Schemas['LinkItemResponse'];
}

export function LinkFields(props: FieldsProps) {
  const { draft, change, failure, isNew, chosen, aliasHint, aliasProblem, link } = props;
  const t = texts.linkForm;
  const typing = problemsOfTyping(draft);
  return (
    <>
      <Field
        label={t.destination}
        name="long_url"
        value={draft.long_url}
        change={(long_url) => change({ long_url })}
        failure={failure}
        inputMode="url"
        autocomplete="off"
        autocapitalize="none"
        spellcheck={false}
        problem={typing['long_url']}
        required
        placeholder="example.com/a/long/address"
        data-autofocus
      />
      <DomainChoice
        of={chosen}
        change={(domain) => change({ domain })}
        problem={failure?.fields['domain']}
        hint={isNew ? undefined : t.move}
      />
      <Field
        label={t.alias}
        name="alias"
        prefix={`${hostOf(chosen.domain)}/`}
        value={draft.alias}
        change={(alias) => change({ alias })}
        failure={failure}
        autocomplete="off"
        autocapitalize="none"
        spellcheck={false}
        isOptional={isNew}
        problem={typing['alias'] ?? aliasProblem}
        hint={<span role="status">{aliasHint ?? (isNew ? t.aliasRule : t.aliasChange)}</span>}
      />
      <Campaign destination={draft.long_url} change={(long_url) => change({ long_url })} />
      <Field
        label={t.title}
        name="title"
        value={draft.title}
        change={(title) => change({ title })}
        failure={failure}
        problem={typing['title']}
        dir="auto"
        autocomplete="off"
        isOptional
        hint={t.titleHint}
      />
      <TagsField chosen={draft.tags} change={(tags) => change({ tags })} failure={failure} />
      <Field
        label={t.note}
        name="note"
        lines={2}
        value={draft.note}
        change={(note) => change({ note })}
        failure={failure}
        problem={typing['note']}
        isOptional
      />
      <div class="pair">
        <Field
          label={t.expire}
          name="expire_after"
          type="datetime-local"
          value={draft.expire}
          change={(expire) => change({ expire })}
          failure={failure}
          min={localInput(new Date())}
          isOptional
          hint={t.zone}
        />
        <Field
          label={t.maxClicks}
          name="max_clicks"
          type="number"
          inputMode="numeric"
          min={1}
          step={1}
          value={draft.max_clicks}
          change={(max_clicks) => change({ max_clicks })}
          failure={failure}
          isOptional
          hint={t.maxClicksHint}
        />
      </div>
      <Check
        label={t.countBots}
        hint={t.countBotsHint}
        checked={draft.count_bots}
        change={(count_bots) => change({ count_bots })}
      />
      <Ways draft={draft} change={change} failure={failure} link={link} />
      <Field
        label={t.password}
        name="password"
        type="password"
        autocomplete="new-password"
        problem={typing['password']}
        value={draft.password}
        change={(password) => change({ password })}
        failure={failure}
        isOptional
        hint={link?.password_set === true ? t.passwordKept : t.passwordRule}
      />
      <Check
        label={t.publicStats}
        hint={t.publicStatsHint}
        checked={draft.public_stats}
        change={(public_stats) => change({ public_stats })}
      />
      <Check
        label={t.blockBots}
        hint={t.blockBotsHint}
        checked={draft.block_bots}
        change={(block_bots) => change({ block_bots })}
      />
    </>
  );
}

/** Returns the trimmed text; null if empty. */
export const textOf = (typed: string): string | null => (typed.trim() === '' ? null : typed.trim());

/** Returns the normalised address; null if empty. */
export const urlOf = (typed: string): string | null =>
  typed.trim() === '' ? null : typedAddress(typed);
