import type { ComponentChildren } from 'preact';
import { useEffect, useId, useState } from 'preact/hooks';
import { typedAddress } from '../../src/common/typed-address';
import { parseUrl } from '../../src/config/url';
import type { Schemas } from '../api/client';
import type { Failure } from '../api/failure';
import { count, dateTime, localInput } from '../format';
import { texts } from '../texts';
import { Check, Field } from './form';
import { Icon } from './icons';
import { isScheduled } from './link-state';
import { type LinkDraft, problemsOfTyping } from './link-problems';
import { Rules } from './rules';
import { Countries, Variants } from './shares';
import { TryLink } from './try-link';

export const WAY_FIELDS = [
  'starts_at',
  'pre_start_url',
  'expired_redirect_url',
  'rules',
  'geo_rules',
  'ab_variants',
] as const;

interface WaysProps {
  readonly draft: LinkDraft;
  readonly change: (changes: Partial<LinkDraft>) => void;
  readonly failure: Failure | null;
  /** The saved link, which can be tested; absent for a new link. */
  readonly link: Schemas['LinkItemResponse'] | undefined;
}

/** Rules, countries and variants, which are collapsed unless one of their fields has an error. */
export function Ways({ draft, change, failure, link }: WaysProps) {
  const id = useId();
  const [isOpen, setOpen] = useState(false);
  const isRefused = Object.keys(failure?.fields ?? {}).some((field) =>
    WAY_FIELDS.some((name) => field === name || field.startsWith(`${name}.`)),
  );
  useEffect(() => {
    if (isRefused) setOpen(true);
  }, [isRefused]);
  // Opens immediately, so that an invalid field exists when it receives focus.
  const isShown = isOpen || isRefused;
  const t = texts.ways;
  const typing = problemsOfTyping(draft);
  const address = { inputMode: 'url', autocomplete: 'off', autocapitalize: 'none' } as const;
  return (
    <div class="ways">
      <button
        type="button"
        class="quiet small"
        aria-expanded={isShown}
        aria-controls={id}
        onClick={() => setOpen(!isShown)}
      >
        <Icon name="route" /> {t.title}
      </button>
      <p class="hint" role="status">
        {summaryOf(draft)}
      </p>
      <div id={id} role="group" aria-label={t.title} hidden={!isShown}>
        <Field
          label={t.starts}
          name="starts_at"
          type="datetime-local"
          value={draft.starts}
          change={(starts) => change({ starts })}
          failure={failure}
          min={localInput(new Date())}
          isOptional
          hint={texts.linkForm.zone}
        />
        <Field
          {...address}
          label={t.before}
          name="pre_start_url"
          value={draft.pre_start_url}
          change={(pre_start_url) => change({ pre_start_url })}
          failure={failure}
          spellcheck={false}
          problem={typing['pre_start_url']}
          isOptional
          hint={t.beforeHint}
        />
        <Field
          {...address}
          label={t.after}
          name="expired_redirect_url"
          value={draft.expired_redirect_url}
          change={(expired_redirect_url) => change({ expired_redirect_url })}
          failure={failure}
          spellcheck={false}
          problem={typing['expired_redirect_url']}
          isOptional
          hint={t.afterHint}
        />
        <Check
          label={t.forward}
          hint={t.forwardHint}
          checked={draft.forward_query}
          change={(forward_query) => change({ forward_query })}
        />
        <Rules
          rules={draft.rules}
          change={(rules) => change({ rules })}
          failure={failure}
          destination={draft.long_url}
        />
        <Countries
          countries={draft.countries}
          change={(countries) => change({ countries })}
          failure={failure}
        />
        <Variants
          variants={draft.variants}
          change={(variants) => change({ variants })}
          failure={failure}
        />
        {link !== undefined && <TryLink link={link} />}
      </div>
    </div>
  );
}

function summaryOf(draft: LinkDraft): string {
  const t = texts.ways;
  const ends = draft.expire !== '' || draft.max_clicks !== '';
  const [before, after] = [draft.pre_start_url, draft.expired_redirect_url].map((typed) =>
    typed.trim() === '' ? null : hostOf(typedAddress(typed)),
  );
  const starts = draft.starts === '' ? null : new Date(draft.starts);
  const parts = partsOf(draft.rules.length, draft.countries.length, draft.variants.length);
  const words = [
    parts.length > 0 && t.elsewhere(parts),
    starts !== null && starts.getTime() > Date.now() && t.until(dateTime(starts), before ?? null),
    after != null && (ends ? t.afterwards(after) : t.noEnd),
    draft.forward_query && t.forwards,
  ].filter((text) => text !== false);
  return words.length === 0 ? t.straight : words.join(' ');
}

function partsOf(rules: number, countries: number, variants: number): string[] {
  const t = texts.ways;
  return [
    ...(rules > 0 ? [t.rules(rules, count(rules))] : []),
    ...(countries > 0 ? [t.countries(countries, count(countries))] : []),
    ...(variants > 0 ? [t.variants(variants, count(variants))] : []),
  ];
}

function hostOf(url: string): string {
  return parseUrl(url)?.host || url;
}

interface WayFactsProps {
  readonly link: Schemas['LinkItemResponse'];
  readonly children: ComponentChildren;
}

/** Summary of a link's redirect options, including its start and end. */
export function WayFacts({ link, children }: WayFactsProps) {
  const t = texts.ways;
  const { starts_at, pre_start_url, expired_redirect_url, rules, geo_rules, ab_variants } = link;
  const countries = Object.keys(geo_rules ?? {}).length;
  return (
    <>
      {starts_at !== null && (
        <li>
          {(isScheduled(link) ? t.startsAt : t.startedAt)(dateTime(new Date(starts_at * 1000)))}
        </li>
      )}
      {isScheduled(link) && pre_start_url !== null && <li>{t.beforeIt(hostOf(pre_start_url))}</li>}
      {children}
      {expired_redirect_url !== null && <li>{t.afterIt(hostOf(expired_redirect_url))}</li>}
      {link.forward_query && <li>{t.passes}</li>}
      {partsOf(rules?.length ?? 0, countries, ab_variants?.length ?? 0).map((part) => (
        <li key={part}>{part}</li>
      ))}
    </>
  );
}
