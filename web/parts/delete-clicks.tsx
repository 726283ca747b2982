import { useState } from 'preact/hooks';
import type { Schemas } from '../api/client';
import { count } from '../format';
import { texts } from '../texts';
import { Field } from './form';
import { FormDialog } from './form-dialog';

type LinkItem = Schemas['LinkItemResponse'];

interface DeleteClicksProps {
  readonly title: string;
  readonly links: readonly LinkItem[];
  readonly label: string;
  /** Text that enables the button. */
  readonly confirmation: string;
  readonly run: () => Promise<void>;
  readonly close: () => void;
}

export function DeleteClicks({ title, links, label, confirmation, run, close }: DeleteClicksProps) {
  const [typed, setTyped] = useState('');
  const t = texts.deleteClicks;
  const clicks = links.reduce(
    (sum, { total_clicks: here, imported_clicks: before = 0 }) => sum + here + before,
    0,
  );
  return (
    <FormDialog
      title={title}
      act={t.act}
      run={run}
      close={close}
      isBad
      isDisabled={typed !== confirmation}
    >
      {() => (
        <>
          <p>{t.effect(count(clicks), clicks, links.length)}</p>
          <Field
            label={label}
            name="confirmation"
            value={typed}
            change={setTyped}
            autocomplete="off"
            autocapitalize="none"
            spellcheck={false}
            data-autofocus
          />
        </>
      )}
    </FormDialog>
  );
}
