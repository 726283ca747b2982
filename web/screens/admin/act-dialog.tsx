import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { outdate } from '../../data/query';
import { say } from '../../data/toasts';
import { Field, refuse } from '../../parts/form';
import { FormDialog } from '../../parts/form-dialog';
import { words } from './texts';

interface ActDialogProps {
  readonly title: string;
  readonly act: string;
  readonly hint?: string;
  /** Whether a reason is required or optional; `none` for actions without a reason. */
  readonly takesReason?: 'must' | 'may' | 'none';
  /**
   * @param reason trimmed text; '' for none
   * @returns false if the selection shows why the action failed, in part or as a whole
   */
  readonly run: (reason: string) => Promise<unknown>;
  /** Message to show once the action is done. */
  readonly done: string;
  readonly close: () => void;
  /** Whether the action deletes something. */
  readonly isBad?: boolean;
  /** List items that show what the action affects. */
  readonly counts?: ComponentChildren;
  readonly children?: ComponentChildren;
  /** Whether the extra inputs are complete. */
  readonly isComplete?: boolean;
}

export function ActDialog(props: ActDialogProps) {
  const { title, act, hint, takesReason = 'may', run, done, close, children } = props;
  const [reason, setReason] = useState('');
  const send = async (): Promise<void> => {
    const given = reason.trim();
    refuse(takesReason === 'must' && given === '' ? { reason: words.reasonMissing } : {});
    const isDone = await run(given);
    outdate('admin:');
    if (isDone !== false) say(done);
  };
  return (
    <FormDialog
      title={title}
      act={act}
      run={send}
      close={close}
      isBad={props.isBad === true}
      isDisabled={props.isComplete === false}
      shown={['reason']}
    >
      {(failure) => (
        <>
          {hint !== undefined && <p>{hint}</p>}
          {props.counts !== undefined && <ul class="counts">{props.counts}</ul>}
          {takesReason !== 'none' && (
            <Field
              label={words.reason}
              name="reason"
              value={reason}
              change={setReason}
              failure={failure}
              lines={3}
              isOptional={takesReason === 'may'}
              data-autofocus
            />
          )}
          {children}
        </>
      )}
    </FormDialog>
  );
}
