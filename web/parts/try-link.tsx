import { useId, useState } from 'preact/hooks';
import {
  conditionsInWords,
  countryWords,
  type WordedCondition,
} from '../../src/destinations/wording';
import { api, bodyOf, type Schemas } from '../api/client';
import { secondsOf } from '../format';
import { texts } from '../texts';
import { COUNTRIES } from './condition-offers';
import { decidingFacts } from './destination-drafts';
import { Choice, Field, FormProblem, type Submission, Submit } from './form';
import { LINK_FIELDS } from './link-form';
import type { LinkDraft } from './link-problems';
import { WAY_FIELDS } from './link-ways';

type LinkItem = Schemas['LinkItemResponse'];
type Resolved = Schemas['ResolvedResponse'];
type Draft = Schemas['DraftDto'];
type Rules = NonNullable<Draft['rules']>;

/** A typical User-Agent for each kind of device that rules can distinguish. */
const AGENTS: Readonly<Record<string, string>> = {
  iphone:
    'Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.4 Mobile/15E148 Safari/604.1',
  android:
    'Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/124.0.0.0 Mobile Safari/537.36',
  ipad: 'Mozilla/5.0 (iPad; CPU OS 17_4 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.4 Mobile/15E148 Safari/604.1',
  windows:
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/124.0.0.0 Safari/537.36',
  mac: 'Mozilla/5.0 (Macintosh; Intel Mac OS X 14_4) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.4 Safari/605.1.15',
  linux: 'Mozilla/5.0 (X11; Linux x86_64; rv:124.0) Gecko/20100101 Firefox/124.0',
};

const NOBODY = { agent: '', country: '', language: '', query: '', at: '', visitor: '' };
const WORD = { autocomplete: 'off', autocapitalize: 'none', spellcheck: false } as const;

interface TryLinkProps {
  readonly link: LinkItem;
  readonly draft: LinkDraft;
  readonly trial: Submission;
  /**
   * Returns the unsaved changes.
   * @throws Failure if they have problems
   */
  readonly changes: () => Draft;
}

/** Shows where the link with its unsaved changes would send a test visitor. */
export function TryLink({ link, draft, trial, changes }: TryLinkProps) {
  const [visitor, setVisitor] = useState(NOBODY);
  const [found, setFound] = useState<(Resolved & { asked: string; rules: Rules }) | null>(null);
  const set = (typed: Partial<typeof NOBODY>): void => setVisitor({ ...visitor, ...typed });
  const t = texts.tryLink;
  const name = useId();
  // Hides the result when the visitor or the link changes.
  const asked = JSON.stringify([visitor, draft]);
  const needed = decidingFacts(draft);
  const ask = async (): Promise<void> => {
    const { agent, country, language, query, at } = visitor;
    const changed = changes();
    // New rules get a key, so that the result can name the rule.
    const rules = changed.rules?.map((rule, i) => ({ ...rule, key: rule.key ?? newKey(i) }));
    const body = {
      user_agent: agent === 'own' ? navigator.userAgent : (AGENTS[agent] ?? ''),
      country: country === '' ? null : country,
      language,
      query: query.replace(/^\?/, ''),
      at: secondsOf(at),
      visitor: visitor.visitor,
      draft: rules === undefined ? changed : { ...changed, rules },
    };
    const params = { path: { url_id: link.id } };
    const resolved = await bodyOf(api.POST('/api/v1/urls/{url_id}/resolve', { params, body }));
    setFound({ ...resolved, asked, rules: rules ?? link.rules ?? [] });
  };
  return (
    <form
      class="card try"
      aria-labelledby={name}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        trial.run(ask);
      }}
    >
      <h2 id={name}>{t.title}</h2>
      <p class="hint">{needed.size === 0 ? t.hintForAll : t.hint}</p>
      {needed.has('agent') && (
        <Choice
          label={t.agent}
          value={visitor.agent}
          options={[
            ['', t.unknown],
            ['own', t.ownAgent],
            ...Object.entries(t.agents).map(([agent, words]) => [agent, words] as const),
          ]}
          change={(agent) => set({ agent })}
        />
      )}
      {needed.has('country') && (
        <Choice
          label={t.country}
          value={visitor.country}
          options={[
            ['', t.unknown] as const,
            ...[...COUNTRIES].map(([words, code]) => [code, words] as const),
          ]}
          change={(country) => set({ country })}
        />
      )}
      {needed.has('language') && (
        <Field
          {...WORD}
          label={t.language}
          name="language"
          value={visitor.language}
          change={(language) => set({ language })}
          failure={trial.failure}
          placeholder="pt-BR, en;q=0.8"
          isOptional
        />
      )}
      {needed.has('query') && (
        <Field
          {...WORD}
          label={t.query}
          name="query"
          value={visitor.query}
          change={(query) => set({ query })}
          failure={trial.failure}
          placeholder="source=app"
          isOptional
        />
      )}
      {needed.has('at') && (
        <Field
          label={t.at}
          name="at"
          type="datetime-local"
          value={visitor.at}
          change={(at) => set({ at })}
          failure={trial.failure}
          isOptional
        />
      )}
      {needed.has('visitor') && (
        <Field
          {...WORD}
          label={t.visitor}
          name="visitor"
          value={visitor.visitor}
          change={(typed) => set({ visitor: typed })}
          failure={trial.failure}
          hint={t.visitorHint}
          isOptional
        />
      )}
      <FormProblem failure={trial.failure} shown={[...needed, ...LINK_FIELDS, ...WAY_FIELDS]} />
      <Submit label={t.submit} submission={trial} class="quiet" />
      <div role="status" class="landing">
        {found?.asked === asked && (
          <>
            <p class="result-address">{found.location ?? t.nowhere}</p>
            <p>{reasonOf(found, found.rules, visitor.country)}</p>
          </>
        )}
      </div>
    </form>
  );
}

const newKey = (place: number): string => `new-rule-${place}`;

function reasonOf({ by, key }: Resolved, rules: Rules, country: string): string {
  const t = texts.tryLink.by;
  if (by === 'geo') return t.geo(countryWords(country));
  if (by === 'variant') return t.variant(key ?? '');
  if (by !== 'rule') return t[by];
  const place = rules.findIndex((rule) => rule.key === key);
  const isNew = key === newKey(place);
  const when = (rules[place]?.when ?? []).map(withoutNulls);
  return t.rule(texts.rules.rule(place + 1, isNew ? null : key), conditionsInWords(when));
}

const withoutNulls = (condition: Rules[number]['when'][number]): WordedCondition =>
  Object.fromEntries(
    Object.entries(condition).filter(([, value]) => value !== null),
  ) as unknown as WordedCondition;
