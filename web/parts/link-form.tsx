import { useEffect, useRef, useState } from 'preact/hooks';
import { UTM_FIELDS } from '../../src/destinations/utm';
import { typedAddress } from '../../src/common/typed-address';
import type { Failure } from '../api/failure';
import { localInput } from '../format';
import { texts } from '../texts';
import { hostOf } from '../data/domains';
import { Campaign } from './campaign';
import { campaignOf } from './campaign-values';
import { type ChosenDomain, DomainChoice } from './domain-choice';
import { Check, Field } from './form';
import { FormGroup, isRefused } from './form-group';
import { Icon } from './icons';
import { type LinkDraft, problemsOfTyping } from './link-problems';
import { TagsField } from './tags';

const MAIN_FIELDS = ['long_url', 'domain', 'alias', 'title'];
const ORGANISE_FIELDS = ['tags', 'note'];
const ACCESS_FIELDS = [
  'password',
  'max_clicks',
  'starts_at',
  'pre_start_url',
  'expire_after',
  'expired_redirect_url',
];

/** API fields whose problems appear next to their inputs. */
export const LINK_FIELDS: readonly string[] = [
  ...MAIN_FIELDS,
  ...ORGANISE_FIELDS,
  ...ACCESS_FIELDS,
];

const ADDRESS = {
  inputMode: 'url',
  autocomplete: 'off',
  autocapitalize: 'none',
  spellcheck: false,
} as const;

interface GroupProps {
  readonly draft: LinkDraft;
  readonly change: (changes: Partial<LinkDraft>) => void;
  readonly failure: Failure | null;
  readonly isNew: boolean;
}

interface FieldsProps extends GroupProps {
  readonly chosen: ChosenDomain;
  readonly hasPassword?: boolean;
  /** Text that confirms that a new alias is available. */
  readonly aliasHint?: string | null;
  /** Text that explains why the alias is unavailable. */
  readonly aliasProblem?: string | undefined;
}

export function LinkFields(props: FieldsProps) {
  const { hasPassword = false, ...group } = props;
  return (
    <>
      <MainFields {...props} />
      <OrganiseFields {...group} />
      <AccessFields {...group} hasPassword={hasPassword} />
    </>
  );
}

function MainFields(props: FieldsProps) {
  const { draft, change, failure, isNew, chosen, aliasHint, aliasProblem } = props;
  const t = texts.linkForm;
  const typing = problemsOfTyping(draft);
  const rule = isNew ? t.aliasRule : t.aliasChange;
  return (
    <section class="form-group">
      <h3 class={isNew ? 'unseen' : undefined}>{t.groups.link}</h3>
      <Field
        {...ADDRESS}
        label={t.destination}
        name="long_url"
        value={draft.long_url}
        change={(long_url) => change({ long_url })}
        failure={failure}
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
        hint={
          <span role="status" class={aliasHint == null ? undefined : 'good'}>
            {aliasHint != null && <Icon name="check" />} {aliasHint ?? rule}
          </span>
        }
      />
      <TitleField draft={draft} change={change} failure={failure} isNew={isNew} />
    </section>
  );
}

/** A new link's title is behind a button, so that a first link needs two fields. */
function TitleField({ draft, change, failure, isNew }: GroupProps) {
  const [isAdded, setAdded] = useState(false);
  // Stays open while a title is deleted and typed again.
  const isShown = useRef(false);
  isShown.current ||= isAdded || !isNew || draft.title !== '' || isRefused(failure, ['title']);
  useEffect(() => {
    if (isAdded) document.querySelector<HTMLElement>('form [name="title"]')?.focus();
  }, [isAdded]);
  const t = texts.linkForm;
  if (!isShown.current)
    return (
      <button type="button" class="plain" onClick={() => setAdded(true)}>
        <Icon name="plus" /> {t.addTitle}
      </button>
    );
  return (
    <Field
      label={t.title}
      name="title"
      value={draft.title}
      change={(title) => change({ title })}
      failure={failure}
      problem={problemsOfTyping(draft)['title']}
      dir="auto"
      autocomplete="off"
      isOptional
      hint={t.titleHint}
    />
  );
}

function OrganiseFields({ draft, change, failure }: GroupProps) {
  const t = texts.linkForm;
  const campaign = campaignOf(draft.long_url);
  const values = UTM_FIELDS.filter((field) => campaign[field] !== '').map(
    (field) => `${texts.utm.fields[field]}: ${campaign[field]}`,
  );
  return (
    <FormGroup
      title={t.groups.organise}
      hint={t.groups.organiseHint}
      isOpenAtFirst={draft.tags.length > 0 || draft.note !== '' || values.length > 0}
      isRefused={isRefused(failure, ORGANISE_FIELDS)}
    >
      <TagsField chosen={draft.tags} change={(tags) => change({ tags })} failure={failure} />
      <Campaign destination={draft.long_url} change={(long_url) => change({ long_url })} />
      {values.length > 0 && <p class="hint campaign-values">{values.join(' · ')}</p>}
      <Field
        label={t.note}
        name="note"
        lines={2}
        value={draft.note}
        change={(note) => change({ note })}
        failure={failure}
        problem={problemsOfTyping(draft)['note']}
        isOptional
      />
    </FormGroup>
  );
}

function AccessFields(props: GroupProps & { readonly hasPassword: boolean }) {
  const { draft, change, failure, hasPassword } = props;
  const t = texts.linkForm;
  const ways = texts.ways;
  const typing = problemsOfTyping(draft);
  const hasEnd = draft.expire !== '' || draft.max_clicks !== '';
  const hasValues =
    hasPassword ||
    hasEnd ||
    draft.starts + draft.pre_start_url + draft.expired_redirect_url !== '' ||
    draft.public_stats ||
    draft.block_bots;
  const time = { type: 'datetime-local', min: localInput(new Date()), isOptional: true } as const;
  return (
    <FormGroup
      title={t.groups.access}
      hint={t.groups.accessHint}
      isOpenAtFirst={hasValues}
      isRefused={isRefused(failure, ACCESS_FIELDS)}
    >
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
        hint={hasPassword ? t.passwordKept : t.passwordRule}
      />
      <div class="pair">
        <Field
          {...time}
          label={ways.starts}
          name="starts_at"
          value={draft.starts}
          change={(starts) => change({ starts })}
          failure={failure}
        />
        <Field
          {...time}
          label={t.expire}
          name="expire_after"
          value={draft.expire}
          change={(expire) => change({ expire })}
          failure={failure}
        />
      </div>
      <p class="hint times">{t.zone}</p>
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
      {draft.max_clicks !== '' && (
        <Check
          label={t.countBots}
          hint={t.countBotsHint}
          checked={draft.count_bots}
          change={(count_bots) => change({ count_bots })}
        />
      )}
      {(draft.starts !== '' || draft.pre_start_url !== '') && (
        <Field
          {...ADDRESS}
          label={ways.before}
          name="pre_start_url"
          value={draft.pre_start_url}
          change={(pre_start_url) => change({ pre_start_url })}
          failure={failure}
          problem={typing['pre_start_url']}
          isOptional
          hint={ways.beforeHint}
        />
      )}
      {(hasEnd || draft.expired_redirect_url !== '') && (
        <Field
          {...ADDRESS}
          label={ways.after}
          name="expired_redirect_url"
          value={draft.expired_redirect_url}
          change={(expired_redirect_url) => change({ expired_redirect_url })}
          failure={failure}
          problem={typing['expired_redirect_url']}
          isOptional
          hint={hasEnd ? ways.afterHint : ways.noEnd}
        />
      )}
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
    </FormGroup>
  );
}

/** Returns the trimmed text; null if empty. */
export const textOf = (typed: string): string | null => (typed.trim() === '' ? null : typed.trim());

/** Returns the normalised address; null if empty. */
export const urlOf = (typed: string): string | null =>
  typed.trim() === '' ? null : typedAddress(typed);
