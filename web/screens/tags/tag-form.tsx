import { TAG_COLORS, tagName } from '../../../src/stores/tags/tag';
import { api, bodyOf } from '../../api/client';
import { useDraft } from '../../data/drafts';
import { outdate } from '../../data/query';
import type { Tag } from '../../data/tags';
import { Field, refuse } from '../../parts/form';
import { FormDialog } from '../../parts/form-dialog';
import { problemOfTag } from '../../parts/link-problems';
import { TagName } from '../../parts/tags';
import { texts } from '../../texts';

interface TagFormProps {
  readonly tag: Tag | null;
  readonly close: () => void;
}

export function TagForm({ tag, close }: TagFormProps) {
  const initial = { name: tag?.name ?? '', color: tag?.color ?? 'blue' };
  const [draft, change, forget] = useDraft(`tag:${tag?.id ?? 'new'}`, initial);
  const t = texts.tags;
  const send = async (): Promise<void> => {
    const problem = problemOfTag(draft.name);
    refuse(problem === null ? {} : { name: problem });
    const body = { name: tagName(draft.name), color: draft.color };
    await bodyOf(
      tag === null
        ? api.POST('/api/v1/tags', { body })
        : api.PATCH('/api/v1/tags/{id}', { params: { path: { id: tag.id } }, body }),
    );
    forget();
    outdate('tags', 'links', 'link:', 'stats:account');
  };
  return (
    <FormDialog
      title={tag === null ? t.create : t.editTitle}
      act={texts.save}
      run={send}
      close={close}
      shown={['name', 'color']}
    >
      {(failure) => (
        <>
          <Field
            label={t.name}
            name="name"
            value={draft.name}
            change={(name) => change({ name })}
            failure={failure}
            dir="auto"
            autocomplete="off"
            required
            data-autofocus
          />
          <fieldset>
            <legend>{t.colour}</legend>
            <div class="colours">
              {TAG_COLORS.map((colour) => (
                <label key={colour}>
                  <input
                    type="radio"
                    name="color"
                    checked={draft.color === colour}
                    onChange={() => change({ color: colour })}
                  />
                  <TagName name={t.colours[colour]} colour={colour} />
                </label>
              ))}
            </div>
          </fieldset>
        </>
      )}
    </FormDialog>
  );
}
