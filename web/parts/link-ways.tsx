import type { ComponentChildren } from 'preact';
import { parseUrl } from '../../src/config/url';
import type { Schemas } from '../api/client';
import type { Failure } from '../api/failure';
import { count, dateTime } from '../format';
import { texts } from '../texts';
import { Check } from './form';
import { isScheduled } from './link-state';
import type { LinkDraft } from './link-problems';
import { Rules } from './rules';
import { Countries, Variants } from './shares';

export const WAY_FIELDS: readonly string[] = ['rules', 'geo_rules', 'ab_variants'];

interface WaysProps {
  readonly draft: LinkDraft;
  readonly change: (changes: Partial<LinkDraft>) => void;
  readonly failure: Failure | null;
}

/** Rules, countries and variants. */
export function Ways({ draft, change, failure }: WaysProps) {
  const t = texts.ways;
  return (
    <div class="ways">
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
      <Check
        label={t.forward}
        hint={t.forwardHint}
        checked={draft.forward_query}
        change={(forward_query) => change({ forward_query })}
      />
    </div>
  );
}

export function waysInWords(draft: LinkDraft): string {
  const t = texts.ways;
  const parts = partsOf(draft.rules.length, draft.countries.length, draft.variants.length);
  const words = [parts.length > 0 && t.elsewhere(parts), draft.forward_query && t.forwards].filter(
    (text) => text !== false,
  );
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
