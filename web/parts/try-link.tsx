import { useId, useState } from 'preact/hooks';
import { conditionsInWords, countryWords } from '../../src/destinations/wording';
import { api, bodyOf, type Schemas } from '../api/client';
import { secondsOf } from '../format';
import { texts } from '../texts';
import { Choice, Field, FormProblem, useSubmission } from './form';
import { COUNTRIES } from './condition-offers';

type LinkItem = Schemas['LinkItemResponse'];
type Resolved = Schemas['ResolvedResponse'];

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
const FIELDS = ['language', 'query', 'at', 'visitor'] as const;
const WORD = { autocomplete: 'off', autocapitalize: 'none', spellcheck: false } as const;

/** Shows where the saved link would send a test visitor. */
export function TryLink({ link }: { link: LinkItem }) {
  const [visitor, setVisitor] = useState(NOBODY);
  const [found, setFound] = useState<Resolved | null>(null);
  const submission = useSubmission();
  const set = (changes: Partial<typeof NOBODY>): void => {
    setFound(null);
    setVisitor({ ...visitor, ...changes });
  };
  const t = texts.tryLink;
  const name = useId();
  const ask = async (): Promise<void> => {
    setFound(null);
    const { agent, country, language, query, at } = visitor;
    const body = {
      user_agent: agent === 'own' ? navigator.userAgent : (AGENTS[agent] ?? ''),
      country: country === '' ? null : country,
      language,
      query: query.replace(/^\?/, ''),
      at: secondsOf(at),
      visitor: visitor.visitor,
    };
    const params = { path: { url_id: link.id } };
    setFound(await bodyOf(api.POST('/api/v1/urls/{url_id}/resolve', { params, body })));
  };
  return (
    <fieldset
      class="try"
      aria-describedby={name}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' || !(event.target instanceof HTMLInputElement)) return;
        // The surrounding form must not be submitted.
        event.preventDefault();
        submission.run(ask);
      }}
    >
      <legend>{t.title}</legend>
      <p class="hint" id={name}>
        {t.hint}
      </p>
      <div class="pair">
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
        <Choice
          label={t.country}
          value={visitor.country}
          options={[
            ['', t.unknown] as const,
            ...[...COUNTRIES].map(([words, code]) => [code, words] as const),
          ]}
          change={(country) => set({ country })}
        />
        <Field
          {...WORD}
          label={t.language}
          name="language"
          value={visitor.language}
          change={(language) => set({ language })}
          failure={submission.failure}
          placeholder="pt-BR, en;q=0.8"
          isOptional
        />
        <Field
          {...WORD}
          label={t.query}
          name="query"
          value={visitor.query}
          change={(query) => set({ query })}
          failure={submission.failure}
          placeholder="source=app"
          isOptional
        />
        <Field
          label={t.at}
          name="at"
          type="datetime-local"
          value={visitor.at}
          change={(at) => set({ at })}
          failure={submission.failure}
          isOptional
        />
        <Field
          {...WORD}
          label={t.visitor}
          name="visitor"
          value={visitor.visitor}
          change={(typed) => set({ visitor: typed })}
          failure={submission.failure}
          hint={t.visitorHint}
          isOptional
        />
      </div>
      <FormProblem failure={submission.failure} shown={FIELDS} />
      <button
        type="button"
        class="quiet"
        aria-busy={submission.isRunning}
        onClick={() => submission.run(ask)}
      >
        {t.submit}
      </button>
      <div role="status" class="landing">
        {found !== null && (
          <>
            <p class="result-address">{found.location ?? t.nowhere}</p>
            <p>{reasonOf(found, link, visitor.country)}</p>
          </>
        )}
      </div>
    </fieldset>
  );
}

function reasonOf({ by, key }: Resolved, { rules }: LinkItem, country: string): string {
  const t = texts.tryLink.by;
  if (by === 'geo') return t.geo(countryWords(country));
  if (by === 'variant') return t.variant(key ?? '');
  if (by !== 'rule') return t[by];
  const place = (rules ?? []).findIndex((rule) => rule.key === key);
  const when = rules?.[place]?.when ?? [];
  return t.rule(texts.rules.rule(place + 1, key), conditionsInWords(when));
}
