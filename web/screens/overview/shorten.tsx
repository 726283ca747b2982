import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { api, bodyOf, type Schemas } from '../../api/client';
import { features } from '../../data/first-answer';
import { useDraft } from '../../data/drafts';
import { outdate } from '../../data/query';
import { bare } from '../../format';
import { openNewLink } from '../../frame/shortcuts';
import { Copy } from '../../parts/copy';
import { FormProblem, refuse, Submit, useSubmission } from '../../parts/form';
import { typedAddress } from '../../../src/common/typed-address';
import { problemOfUrl, problemsOfTyping } from '../../parts/link-problems';
import { Share } from '../../parts/share';
import { Link } from '../../router';
import { texts } from '../../texts';

export function Shorten() {
  const [draft, change, forget] = useDraft('shorten', { long_url: '' });
  const [made, setMade] = useState<Schemas['CreatedLinkResponse'] | null>(null);
  const submission = useSubmission();
  const field = useRef<HTMLInputElement>(null);
  const id = useId();
  useEffect(() => {
    // Does not focus on phones, because that would open the keyboard.
    if (matchMedia('(pointer: fine)').matches) field.current?.focus({ preventScroll: true });
  }, []);
  const send = async (): Promise<void> => {
    const fault = problemOfUrl(draft.long_url, features.base_url);
    refuse(fault === null ? {} : { long_url: fault });
    const body = { long_url: typedAddress(draft.long_url) };
    setMade(await bodyOf(api.POST('/api/v1/shorten', { body })));
    forget();
    outdate('links', 'overview');
  };
  const problem = submission.failure?.fields['long_url'] ?? problemsOfTyping(draft)['long_url'];
  return (
    <section class="card shorten">
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          if (draft.long_url.trim() !== '') submission.run(send);
          else field.current?.focus();
        }}
      >
        <label for={id}>{texts.overview.shorten}</label>
        <div class="shorten-row">
          <input
            ref={field}
            id={id}
            type="text"
            inputMode="url"
            autocomplete="off"
            autocapitalize="none"
            spellcheck={false}
            placeholder="example.com/a/long/address"
            value={draft.long_url}
            aria-invalid={problem !== undefined}
            aria-describedby={problem === undefined ? undefined : `${id}-problem`}
            onInput={(event) => change({ long_url: event.currentTarget.value })}
          />
          <Submit label={texts.newLink.submit} submission={submission} />
        </div>
        {problem !== undefined && (
          <p class="field-problem" id={`${id}-problem`}>
            {problem}
          </p>
        )}
        <FormProblem failure={submission.failure} shown={['long_url']} />
        <button type="button" class="plain options" onClick={openNewLink}>
          {texts.overview.options}
        </button>
      </form>
      <div role="status">
        {made !== null && (
          <div class="result">
            <p>
              <span class="unseen">{texts.newLink.made}: </span>
              <Link to={`/links/${made.id}`} class="short-url">
                {bare(made.short_url)}
              </Link>
              <span class="destination">{made.long_url}</span>
            </p>
            <div class="actions">
              <Copy text={made.short_url} what={bare(made.short_url)} />
              <Share url={made.short_url} />
            </div>
          </div>
        )}
      </div>
    </section>
  );
}
