import { useState } from 'preact/hooks';
import { fileOf, type Schemas } from '../../api/client';
import { csvFile } from '../../data/csv';
import { save } from '../../data/files';
import {
  deleteClicks,
  expireLinks,
  pauseLinks,
  removeLinks,
  resumeLinks,
  selection,
  tagLinks,
} from '../../data/link-changes';
import { MAX_SELECTED, NOTHING, type Selection, selectionOf } from '../../data/selection';
import { count, localInput, secondsOf } from '../../format';
import { Clicks } from '../../parts/clicks';
import { DeleteClicks } from '../../parts/delete-clicks';
import { FailedLinks } from '../../parts/failed-links';
import { Check, Field, FormProblem, refuse, useSubmission } from '../../parts/form';
import { FormDialog } from '../../parts/form-dialog';
import { Icon } from '../../parts/icons';
import { problemOfTags } from '../../parts/link-problems';
import { TagsField } from '../../parts/tags';
import { texts } from '../../texts';

type LinkItem = Schemas['LinkItemResponse'];

interface BarProps {
  readonly selected: Selection;
  readonly filter: string | undefined;
  /** Number of links on all pages. */
  readonly total: number;
  readonly isPageChosen: boolean;
}

export function SelectionBar({ selected, filter, total, isPageChosen }: BarProps) {
  const [open, setOpen] = useState<'clicks' | 'expiry' | 'tags' | null>(null);
  const submission = useSubmission();
  const links = [...selected.links.values()];
  const t = texts.selection;
  /** Restores focus when the focused button disappears. */
  const leave = (work: () => void): void => {
    work();
    document.querySelector<HTMLElement>('main h1')?.focus();
  };
  return (
    <section class="selection" aria-label={t.title}>
      <div>
        <strong role="status">{t.count(count(links.length))}</strong>
        <span class="hint">
          <Clicks
            isNamed
            recorded={addUp(links, (link) => link.total_clicks)}
            imported={addUp(links, (link) => link.imported_clicks ?? 0)}
          />
        </span>
        {isPageChosen && links.length < Math.min(total, MAX_SELECTED) && (
          <button
            type="button"
            class="plain small matching"
            aria-busy={submission.isRunning}
            disabled={total > MAX_SELECTED}
            aria-describedby={total > MAX_SELECTED ? 'selection-limit' : undefined}
            onClick={() =>
              submission.run(async () => selection.set(selectionOf(await allThatMatch(filter))))
            }
          >
            {t.matching(count(total))}
          </button>
        )}
        {isPageChosen && total > MAX_SELECTED && (
          <span class="hint" id="selection-limit">
            {t.most(count(MAX_SELECTED))}
          </span>
        )}
        <button
          type="button"
          class="plain small end"
          onClick={() => leave(() => selection.set(NOTHING))}
        >
          {t.clear}
        </button>
      </div>
      <div class="bulk-actions">
        <button type="button" class="quiet small" onClick={() => leave(() => pauseLinks(links))}>
          <Icon name="pause" /> {t.pause}
        </button>
        <button
          type="button"
          class="quiet small"
          onClick={() => submission.run(() => resumeLinks(links))}
        >
          <Icon name="play" /> {t.resume}
        </button>
        <button type="button" class="quiet small" onClick={() => setOpen('expiry')}>
          <Icon name="clock" /> {t.expiry}
        </button>
        <button type="button" class="quiet small" onClick={() => setOpen('tags')}>
          <Icon name="tags" /> {t.tags}
        </button>
        <button type="button" class="quiet small" onClick={() => save(fileOfLinks(links))}>
          <Icon name="download" /> {texts.export}
        </button>
        <button type="button" class="quiet bad small" onClick={() => setOpen('clicks')}>
          <Icon name="analytics" /> {texts.deleteClicks.act}
        </button>
        <button
          type="button"
          class="quiet bad small"
          onClick={() => leave(() => removeLinks(links))}
        >
          <Icon name="trash" /> {t.remove}
        </button>
      </div>
      <FormProblem failure={submission.failure} shown={[]} />
      <FailedLinks selected={selected} />
      {open === 'expiry' && <Expiry links={links} close={() => setOpen(null)} />}
      {open === 'tags' && <Tags links={links} close={() => setOpen(null)} />}
      {open === 'clicks' && (
        <DeleteClicks
          title={texts.deleteClicks.act}
          links={links}
          label={texts.deleteClicks.confirmCount(String(links.length))}
          confirmation={String(links.length)}
          run={() => deleteClicks(links)}
          close={() => setOpen(null)}
        />
      )}
    </section>
  );
}

const addUp = (links: readonly LinkItem[], clicksOn: (link: LinkItem) => number): number =>
  links.reduce((sum, link) => sum + clicksOn(link), 0);

interface ActionProps {
  readonly links: readonly LinkItem[];
  readonly close: () => void;
}

function Expiry({ links, close }: ActionProps) {
  const [expires, setExpires] = useState('');
  const [isNever, setNever] = useState(false);
  const t = texts.selection;
  const run = async (): Promise<void> => {
    const isPast = !(Date.parse(expires) > Date.now());
    refuse(isNever || !isPast ? {} : { expire_after: texts.errors.fields.expire_after });
    await expireLinks(links, isNever ? null : secondsOf(expires));
  };
  return (
    <FormDialog title={t.expiry} act={t.apply} run={run} close={close} shown={['expire_after']}>
      {(failure) => (
        <>
          <Field
            label={t.expires}
            name="expire_after"
            type="datetime-local"
            value={expires}
            change={setExpires}
            failure={failure}
            min={localInput(new Date())}
            disabled={isNever}
            hint={texts.linkForm.zone}
            data-autofocus
          />
          <Check label={t.noExpiry} checked={isNever} change={setNever} />
        </>
      )}
    </FormDialog>
  );
}

function Tags({ links, close }: ActionProps) {
  const [added, setAdded] = useState<readonly string[]>([]);
  const [removed, setRemoved] = useState<readonly string[]>([]);
  const t = texts.selection;
  const run = async (): Promise<void> => {
    const problem = problemOfTags(added);
    refuse(problem === null ? {} : { add_tags: problem });
    if (added.length + removed.length > 0) await tagLinks(links, added, removed);
  };
  return (
    <FormDialog
      title={t.tags}
      act={t.apply}
      run={run}
      close={close}
      shown={['add_tags', 'remove_tags']}
    >
      {(failure) => (
        <>
          <TagsField
            label={t.addTags}
            name="add_tags"
            chosen={added}
            change={setAdded}
            failure={failure}
            isFirst
          />
          <TagsField
            label={t.removeTags}
            name="remove_tags"
            chosen={removed}
            change={setRemoved}
            failure={failure}
            isOpen={false}
          />
        </>
      )}
    </FormDialog>
  );
}

/** Gets all links in one response, because pages could miss concurrent changes. */
async function allThatMatch(filter: string | undefined): Promise<readonly LinkItem[]> {
  const parameters = new URLSearchParams({ format: 'json', ...(filter && { filter }) });
  const { content } = await fileOf(`/api/v1/urls/export?${parameters.toString()}`);
  const { links } = JSON.parse(await content.text()) as { links: LinkItem[] };
  return links;
}

/** Uses the same column names as the service's exports. */
function fileOfLinks(links: readonly LinkItem[]): { content: Blob; name: string } {
  const columns = [
    'alias',
    'short_url',
    'long_url',
    'title',
    'tags',
    'note',
    'status',
    'total_clicks',
    'created_at',
    'expire_after',
  ] as const;
  const rows = links.map((link) =>
    columns.map((column) => {
      const value = link[column];
      return Array.isArray(value) ? value.join(', ') : value;
    }),
  );
  return csvFile('curtail-selected-links.csv', columns, rows);
}
