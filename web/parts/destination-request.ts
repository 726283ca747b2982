import { typedAddress } from '../../src/common/typed-address';
import type { Schemas } from '../api/client';
import { localInput, secondsOf } from '../format';
import type { ConditionDraft, DestinationsDraft, RuleDraft } from './destination-drafts';

type LinkItem = Schemas['LinkItemResponse'];
type Rule = NonNullable<LinkItem['rules']>[number];
type Request = Pick<Schemas['UpdateLinkDto'], 'ab_variants' | 'geo_rules' | 'rules'>;

export function destinationsOf({
  rules,
  geo_rules,
  ab_variants,
}: Pick<LinkItem, keyof Request>): DestinationsDraft {
  return {
    rules: (rules ?? []).map(({ key, when, to }) => ({ key, when: when.map(typed), to })),
    countries: Object.entries(geo_rules ?? {}).map(([code, url]) => ({ code, url })),
    variants: (ab_variants ?? []).map(({ url, weight }) => ({ url, weight: String(weight) })),
  };
}

function typed(condition: Rule['when'][number]): ConditionDraft {
  const { field, values = [], name = '', from, to, not = false } = condition;
  return { field, values, name, from: localTime(from), to: localTime(to), not };
}

/** Includes seconds if they are not 0, so that an unedited time does not change. */
function localTime(seconds: number | undefined): string {
  if (seconds === undefined) return '';
  const minute = localInput(new Date(seconds * 1000));
  return seconds % 60 === 0 ? minute : `${minute}:${String(seconds % 60).padStart(2, '0')}`;
}

/** Returns the API fields in which two drafts differ, with the first draft's values. */
export function changedDestinations(
  draft: DestinationsDraft,
  before: DestinationsDraft,
): Partial<Request> {
  const has = (name: keyof DestinationsDraft): boolean =>
    JSON.stringify(draft[name]) !== JSON.stringify(before[name]);
  return {
    ...(has('rules') ? { rules: draft.rules.map(requestedRule) } : {}),
    ...(has('countries')
      ? {
          geo_rules: Object.fromEntries(
            draft.countries.map(({ code, url }) => [code, typedAddress(url)]),
          ),
        }
      : {}),
    ...(has('variants')
      ? {
          ab_variants: draft.variants.map(({ url, weight }) => ({
            url: typedAddress(url),
            weight: Number(weight),
          })),
        }
      : {}),
  };
}

function requestedRule({ key, when, to }: RuleDraft): NonNullable<Request['rules']>[number] {
  return { ...(key === null ? {} : { key }), when: when.map(requested), to: typedAddress(to) };
}

/** Returns the condition with only those parts that its field uses. */
function requested(condition: ConditionDraft): Schemas['ConditionDto'] {
  const { field, values, name, from, to } = condition;
  const not = condition.not ? { not: true } : {};
  if (field === 'time') return { field, from: secondsOf(from), to: secondsOf(to), ...not };
  const some = values.length === 0 ? {} : { values: [...values] };
  return { field, ...(field === 'query' ? { name: name.trim() } : {}), ...some, ...not };
}
