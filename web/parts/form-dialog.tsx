import type { ComponentChildren } from 'preact';
import type { Failure } from '../api/failure';
import { Dialog } from './dialog';
import { FormProblem, Submit, useSubmission } from './form';

interface FormDialogProps {
  readonly title: string;
  /** Label of the button. */
  readonly act: string;
  /** The dialog closes afterwards, unless the result is false. */
  readonly run: () => Promise<unknown>;
  readonly close: () => void;
  /** Whether the action deletes or blocks something. */
  readonly isBad?: boolean;
  readonly isDisabled?: boolean;
  /** Fields that show their own problems. */
  readonly shown?: readonly string[];
  readonly children: (failure: Failure | null) => ComponentChildren;
}

/** A dialog with a form and one button. */
export function FormDialog(props: FormDialogProps) {
  const { title, act, run, close, isBad = false, isDisabled = false, shown = [] } = props;
  const submission = useSubmission();
  const send = async (): Promise<void> => {
    if ((await run()) !== false) close();
  };
  return (
    <Dialog title={title} close={close}>
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          submission.run(send);
        }}
      >
        {props.children(submission.failure)}
        <footer class="dialog-foot">
          <FormProblem failure={submission.failure} shown={shown} />
          <Submit
            label={act}
            submission={submission}
            class={isBad ? 'bad' : ''}
            isDisabled={isDisabled}
          />
        </footer>
      </form>
    </Dialog>
  );
}
