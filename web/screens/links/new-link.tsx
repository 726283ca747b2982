import { typedAddress } from '../../../src/common/typed-address';
import { useEffect, useState } from 'preact/hooks';
import { api, bodyOf, type Schemas } from '../../api/client';
import { features } from '../../data/first-answer';
import { useDraft } from '../../data/drafts';
import { sharedPage, TAKEN_OVER } from '../../data/shared-page';
import { outdate } from '../../data/query';
import { bare, secondsOf } from '../../format';
import { useAliasCheck } from '../../parts/alias-check';
import { Copy } from '../../parts/copy';
import { problemsOfDestinations } from '../../parts/destination-problems';
import { changedDestinations } from '../../parts/destination-request';
import { Dialog } from '../../parts/dialog';
import { useChosenDomain } from '../../parts/domain-choice';
import { FormProblem, refuse, Submit, useSubmission } from '../../parts/form';
import { Icon } from '../../parts/icons';
import { Share } from '../../parts/share';
import { FormGroup, isRefused } from '../../parts/form-group';
import { urlOf, LINK_FIELDS, LinkFields, textOf } from '../../parts/link-form';
import { WAY_FIELDS, Ways, waysInWords } from '../../parts/link-ways';
import { EMPTY_LINK, problemsOfLink } from '../../parts/link-problems';
import { go, goWith, usePlace } from '../../router';
import { texts } from '../../texts';

type Created = Schemas['CreatedLinkResponse'];

export function NewLink() {
  const [made, setMade] = useState<Created | null>(null);
  const close = (): void => {
    // Goes back if the drawer was opened within the app, so that Back does not open it again.
    goWith({ new: null }, 'replace');
  };
  return (
    <Dialog
      title={made === null ? texts.links.create : texts.newLink.made}
      close={close}
      kind="drawer"
    >
      {made === null ? <Form done={setMade} /> : <Made link={made} again={() => setMade(null)} />}
    </Dialog>
  );
}

function Form({ done }: { done: (link: Created) => void }) {
  const [draft, change, forget] = useDraft('new-link', EMPTY_LINK, ['password']);
  const submission = useSubmission();
  const page = sharedPage(usePlace());
  useEffect(() => {
    if (page === null) return;
    change(page);
    goWith(TAKEN_OVER, 'replace');
  }, [page?.long_url, page?.title]);
  const chosen = useChosenDomain(draft.domain);
  const alias = useAliasCheck(draft.alias, chosen.domain);
  const send = async (): Promise<void> => {
    refuse({
      ...problemsOfLink(draft, EMPTY_LINK, features.base_url, Date.now()),
      ...problemsOfDestinations(draft, EMPTY_LINK, features.base_url),
    });
    const body = {
      long_url: typedAddress(draft.long_url),
      private_stats: !draft.public_stats,
      block_bots: draft.block_bots,
      count_bots: draft.count_bots,
      title: textOf(draft.title),
      note: textOf(draft.note),
      tags: [...draft.tags],
      starts_at: secondsOf(draft.starts),
      pre_start_url: urlOf(draft.pre_start_url),
      expired_redirect_url: urlOf(draft.expired_redirect_url),
      forward_query: draft.forward_query,
      ...changedDestinations(draft, EMPTY_LINK),
      ...(chosen.isOffered && { domain: chosen.domain }),
      ...(draft.alias.trim() === '' ? {} : { alias: draft.alias.trim() }),
      ...(draft.password === '' ? {} : { password: draft.password }),
      ...(draft.max_clicks === '' ? {} : { max_clicks: Number(draft.max_clicks) }),
      ...(draft.expire === '' ? {} : { expire_after: secondsOf(draft.expire) ?? undefined }),
    };
    const link = await bodyOf(api.POST('/api/v1/shorten', { body }));
    forget();
    outdate('links', 'overview', 'tags');
    done(link);
  };
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        submission.run(send);
      }}
    >
      <LinkFields
        draft={draft}
        change={change}
        failure={submission.failure}
        isNew
        chosen={chosen}
        aliasHint={alias?.isFree === true ? alias.text : null}
        aliasProblem={alias?.isFree === false ? alias.text : undefined}
      />
      <FormGroup
        title={texts.ways.title}
        hint={waysInWords(draft)}
        isOpenAtFirst={waysInWords(draft) !== texts.ways.straight}
        isRefused={isRefused(submission.failure, WAY_FIELDS)}
      >
        <Ways draft={draft} change={change} failure={submission.failure} />
      </FormGroup>
      <footer class="dialog-foot">
        <FormProblem failure={submission.failure} shown={[...LINK_FIELDS, ...WAY_FIELDS]} />
        <Submit label={texts.newLink.submit} submission={submission} />
      </footer>
    </form>
  );
}

function Made({ link, again }: { link: Created; again: () => void }) {
  return (
    <div class="made">
      <p class="short-url">{bare(link.short_url)}</p>
      <div class="actions">
        <span data-autofocus-within>
          <Copy text={link.short_url} what={bare(link.short_url)} class="" />
        </span>
        <Share url={link.short_url} />
        <a
          class="button quiet"
          href={link.short_url}
          target="_blank"
          rel="noreferrer"
          title={`${texts.link.open} ${texts.link.openCounts}`}
        >
          <Icon name="open" /> {texts.link.open}
        </a>
        <button type="button" class="quiet" onClick={() => go(`/links/${link.id}`)}>
          <Icon name="analytics" /> {texts.newLink.details}
        </button>
      </div>
      <p class="destination">{link.long_url}</p>
      <Code link={link} />
      <button type="button" class="plain" onClick={again}>
        <Icon name="plus" /> {texts.newLink.another}
      </button>
    </div>
  );
}

function Code({ link }: { link: Created }) {
  const path = `/api/v1/urls/${link.id}/qr`;
  return (
    <div class="made-code">
      <img src={`${path}.svg`} alt={texts.qr.alt(bare(link.short_url))} width={132} height={132} />
      <div>
        <p class="hint">{texts.newLink.codeHint}</p>
        <div class="actions">
          <a class="button quiet small" href={`${path}.svg?download=true`}>
            <Icon name="download" /> SVG
          </a>
          <a class="button quiet small" href={`${path}.png?size=1024&download=true`}>
            <Icon name="download" /> PNG
          </a>
        </div>
      </div>
    </div>
  );
}
