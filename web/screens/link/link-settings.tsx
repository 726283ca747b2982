import { useState } from 'preact/hooks';
import { DEFAULT_HOST } from '../../../src/links/link-index/link-list';
import { typedAddress } from '../../../src/common/typed-address';
import { api, bodyOf, type Schemas } from '../../api/client';
import { failureOf } from '../../api/failure';
import { features } from '../../data/first-answer';
import { useDraft } from '../../data/drafts';
import { setStatus } from '../../data/link-status';
import { know, outdate } from '../../data/query';
import { removeLinks } from '../../data/link-changes';
import { say } from '../../data/toasts';
import { count, localInput, secondsOf } from '../../format';
import { useAliasCheck } from '../../parts/alias-check';
import { problemsOfDestinations } from '../../parts/destination-problems';
import { changedDestinations, destinationsOf } from '../../parts/destination-request';
import { DeleteClicks } from '../../parts/delete-clicks';
import { useChosenDomain } from '../../parts/domain-choice';
import { FormProblem, refuse, Submit, useSubmission } from '../../parts/form';
import { isRefused } from '../../parts/form-group';
import { Icon } from '../../parts/icons';
import { urlOf, LINK_FIELDS, LinkFields, textOf } from '../../parts/link-form';
import { isOn } from '../../parts/link-state';
import { type LinkDraft, type Problems, problemsOfLink } from '../../parts/link-problems';
import { WAY_FIELDS, Ways } from '../../parts/link-ways';
import { TryLink } from '../../parts/try-link';
import { go } from '../../router';
import { texts } from '../../texts';

type LinkItem = Schemas['LinkItemResponse'];
type Changes = Schemas['UpdateLinkDto'];

function draftOf(link: LinkItem): LinkDraft {
  return {
    long_url: link.long_url,
    domain: link.domain ?? DEFAULT_HOST,
    alias: link.alias,
    expire: link.expire_after === null ? '' : localInput(new Date(link.expire_after * 1000)),
    starts: link.starts_at === null ? '' : localInput(new Date(link.starts_at * 1000)),
    pre_start_url: link.pre_start_url ?? '',
    expired_redirect_url: link.expired_redirect_url ?? '',
    forward_query: link.forward_query,
    max_clicks: link.max_clicks === null ? '' : String(link.max_clicks),
    password: '',
    block_bots: link.block_bots,
    count_bots: link.count_bots,
    public_stats: !link.private_stats,
    title: link.title ?? '',
    note: link.note ?? '',
    tags: link.tags,
    ...destinationsOf(link),
  };
}

/**
 * Sends only changes, so that concurrent edits of different fields do not overwrite each other.
 */
function changesOf(draft: LinkDraft, now: LinkDraft): Changes {
  return {
    ...(draft.long_url === now.long_url ? {} : { long_url: typedAddress(draft.long_url) }),
    ...(draft.domain === now.domain
      ? {}
      : { domain: draft.domain === DEFAULT_HOST ? null : draft.domain }),
    ...(draft.alias === now.alias ? {} : { alias: draft.alias.trim() }),
    ...(draft.expire === now.expire ? {} : { expire_after: secondsOf(draft.expire) }),
    ...(draft.starts === now.starts ? {} : { starts_at: secondsOf(draft.starts) }),
    ...(draft.pre_start_url === now.pre_start_url
      ? {}
      : { pre_start_url: urlOf(draft.pre_start_url) }),
    ...(draft.expired_redirect_url === now.expired_redirect_url
      ? {}
      : { expired_redirect_url: urlOf(draft.expired_redirect_url) }),
    ...(draft.forward_query === now.forward_query ? {} : { forward_query: draft.forward_query }),
    ...(draft.max_clicks === now.max_clicks
      ? {}
      : { max_clicks: draft.max_clicks === '' ? null : Number(draft.max_clicks) }),
    ...(draft.password === '' ? {} : { password: draft.password }),
    ...(draft.block_bots === now.block_bots ? {} : { block_bots: draft.block_bots }),
    ...(draft.count_bots === now.count_bots ? {} : { count_bots: draft.count_bots }),
    ...(draft.public_stats === now.public_stats ? {} : { private_stats: !draft.public_stats }),
    ...(draft.title === now.title ? {} : { title: textOf(draft.title) }),
    ...(draft.note === now.note ? {} : { note: textOf(draft.note) }),
    ...changedDestinations(draft, now),
    ...(draft.tags.join() === now.tags.join() ? {} : { tags: [...draft.tags] }),
  };
}

/** Changes that can be tested before they are saved (docs/contract.md#26.7). */
const TESTED_FIELDS = [
  'long_url',
  ...WAY_FIELDS,
  'forward_query',
  'starts_at',
  'pre_start_url',
  'expire_after',
  'expired_redirect_url',
  'max_clicks',
] as const;

const isTested = (name: string): boolean =>
  TESTED_FIELDS.some((field) => field === name.split('.')[0]);

interface SettingsProps {
  readonly link: LinkItem;
  /** The tab. Both edit the same draft. */
  readonly view: 'settings' | 'rules';
}

export function LinkSettings({ link, view }: SettingsProps) {
  const now = draftOf(link);
  const [draft, change, forget] = useDraft(`link:${link.id}`, now, ['password']);
  const submission = useSubmission();
  const trial = useSubmission();
  const chosen = useChosenDomain(draft.domain);
  const hasNewAddress = draft.alias.trim() !== now.alias || draft.domain !== now.domain;
  const alias = useAliasCheck(hasNewAddress ? draft.alias : '', chosen.domain);
  const changes = changesOf(draft, now);
  const hasChanges = Object.keys(changes).length > 0;
  const failure = submission.failure ?? trial.failure;
  const problems = (): Problems => ({
    ...problemsOfLink(draft, now, features.base_url, Date.now()),
    ...problemsOfDestinations(draft, now, features.base_url),
  });
  const save = async (body: Changes): Promise<void> => {
    await update(link, body);
    forget();
    say(texts.saved);
  };
  return (
    <div class={view === 'rules' ? 'settings with-trial' : 'settings'}>
      <form
        class="card"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          if (!hasChanges) return;
          trial.clear();
          submission.run(async () => {
            refuse(problems());
            await save(changes);
          });
        }}
      >
        <h2 class="unseen">{view === 'rules' ? texts.ways.title : texts.link.edit}</h2>
        {/* Fields with errors are shown in either tab. */}
        {view === 'settings' && isRefused(failure, WAY_FIELDS) && (
          <p class="notice">{texts.ways.unfinished}</p>
        )}
        {(view === 'settings' || isRefused(failure, LINK_FIELDS)) && (
          <LinkFields
            draft={draft}
            change={change}
            failure={failure}
            isNew={false}
            chosen={chosen}
            aliasHint={alias?.isFree === true ? alias.text : null}
            aliasProblem={alias?.isFree === false ? alias.text : undefined}
            hasPassword={link.password_set}
          />
        )}
        {(view === 'rules' || isRefused(failure, WAY_FIELDS)) && (
          <Ways draft={draft} change={change} failure={failure} />
        )}
        <footer class="form-foot">
          <FormProblem failure={submission.failure} shown={[...LINK_FIELDS, ...WAY_FIELDS]} />
          <div class="actions">
            <Submit label={texts.save} submission={submission} isDisabled={!hasChanges} />
            {hasChanges && (
              <button
                type="button"
                class="quiet"
                onClick={() => {
                  forget();
                  submission.clear();
                  trial.clear();
                }}
              >
                {texts.discard}
              </button>
            )}
            {link.password_set && view === 'settings' && (
              <button
                type="button"
                class="quiet"
                onClick={() => submission.run(() => save({ password: null }))}
              >
                {texts.link.removePassword}
              </button>
            )}
          </div>
        </footer>
      </form>
      {view === 'rules' ? (
        <TryLink
          link={link}
          draft={draft}
          trial={trial}
          changes={() => {
            submission.clear();
            refuse(pick(problems(), isTested));
            return pick(changes, isTested);
          }}
        />
      ) : (
        <Others link={link} />
      )}
    </div>
  );
}

function pick<T extends object>(values: T, isWanted: (name: string) => boolean): T {
  return Object.fromEntries(Object.entries(values).filter(([name]) => isWanted(name))) as T;
}

function Others({ link }: { link: LinkItem }) {
  const submission = useSubmission();
  const [isDeleting, setDeleting] = useState(false);
  const canPause = isOn(link);
  const t = texts.link;
  return (
    <section class="card" aria-labelledby="others">
      <h2 id="others">{t.others}</h2>
      <FormProblem failure={submission.failure} shown={[]} />
      <div class="action-row">
        <p>
          <strong>{canPause ? t.pause : t.resume}</strong>
          <span class="hint">{canPause ? t.pauseHint : t.resumeHint}</span>
        </p>
        <button
          type="button"
          class="quiet"
          aria-busy={submission.isRunning}
          onClick={() => submission.run(() => setStatus(link, canPause ? 'INACTIVE' : 'ACTIVE'))}
        >
          <Icon name={canPause ? 'pause' : 'play'} /> {canPause ? t.pause : t.resume}
        </button>
      </div>
      <div class="action-row">
        <p>
          <strong>{texts.deleteClicks.title}</strong>
          <span class="hint">{texts.deleteClicks.hint}</span>
        </p>
        <button type="button" class="quiet bad" onClick={() => setDeleting(true)}>
          <Icon name="analytics" /> {texts.deleteClicks.title}
        </button>
      </div>
      <div class="action-row">
        <p>
          <strong>{t.remove}</strong>
          <span class="hint">{t.removeHint}</span>
        </p>
        <button
          type="button"
          class="quiet bad"
          onClick={() => {
            removeLinks([link]);
            go('/links');
          }}
        >
          <Icon name="trash" /> {t.remove}
        </button>
      </div>
      {isDeleting && (
        <DeleteClicks
          title={texts.deleteClicks.title}
          links={[link]}
          label={texts.deleteClicks.confirmAlias}
          confirmation={link.alias}
          run={() => deleteAllClicks(link)}
          close={() => setDeleting(false)}
        />
      )}
    </section>
  );
}

async function deleteAllClicks(link: LinkItem): Promise<void> {
  const params = { path: { url_id: link.id } };
  const { clicks_deleted_at } = await bodyOf(
    api.DELETE('/api/v1/urls/{url_id}/clicks', { params }),
  );
  const none = { total_clicks: 0, imported_clicks: undefined, last_click: null };
  know(`link:${link.id}`, { ...link, ...none, clicks_deleted_at });
  outdate('link', 'overview', 'tags', 'stats:');
  say(texts.deleteClicks.done(count(1), 1));
}

async function update(link: LinkItem, body: Changes): Promise<void> {
  const params = { path: { url_id: link.id } };
  await bodyOf(api.PATCH('/api/v1/urls/{url_id}', { params, body }));
  try {
    // Reads the link again, because the response to a change has fewer fields.
    know(`link:${link.id}`, await bodyOf(api.GET('/api/v1/urls/{url_id}', { params })));
  } catch (thrown) {
    // The change is saved. The next query shows it.
    void failureOf(thrown);
    outdate(`link:${link.id}`);
  }
  outdate('links', 'overview', 'tags', 'stats:account');
}
