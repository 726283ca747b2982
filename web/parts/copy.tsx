import { useEffect, useState } from 'preact/hooks';
import { texts } from '../texts';
import { Icon } from './icons';

interface CopyProps {
  readonly text: string;
  /** Name of the copied text for screen readers. */
  readonly what: string;
  readonly kind?: 'button' | 'icon';
  readonly class?: string;
  readonly label?: string;
}

export function Copy(props: CopyProps) {
  const { text, what, kind = 'button', class: name = 'quiet', label } = props;
  const [state, setState] = useState<'ready' | 'copied' | 'refused'>('ready');
  useEffect(() => {
    if (state === 'ready') return;
    const timer = setTimeout(() => setState('ready'), 2500);
    return () => clearTimeout(timer);
  }, [state]);
  const said = { ready: label ?? texts.copy, copied: texts.copied, refused: texts.notCopied }[
    state
  ];
  return (
    <button
      type="button"
      class={kind === 'icon' ? 'plain icon-only' : name}
      title={kind === 'icon' ? said : undefined}
      onClick={(event) => {
        event.stopPropagation();
        void copy(text).then((isDone) => setState(isDone ? 'copied' : 'refused'));
      }}
    >
      <Icon name={state === 'copied' ? 'check' : 'copy'} />
      {kind === 'button' && <span aria-hidden="true">{said}</span>}
      <span class="unseen">{label ?? texts.copyOf(what)}</span>
      <span class="unseen" role="status">
        {state === 'ready' ? '' : said}
      </span>
    </button>
  );
}

/** Uses execCommand where there is no Clipboard API, such as over plain http. */
export async function copy(text: string): Promise<boolean> {
  const { clipboard } = navigator as { clipboard?: Clipboard };
  if (clipboard !== undefined) {
    try {
      await clipboard.writeText(text);
      return true;
    } catch {
      // The user denied permission, so the fallback is tried.
    }
  }
  const area = document.createElement('textarea');
  area.value = text;
  area.className = 'unseen';
  const host = document.querySelector('dialog[open]') ?? document.body;
  const before = document.activeElement as HTMLElement | null;
  host.append(area);
  area.select();
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- the only way without a secure context
  const isDone = document.execCommand('copy');
  area.remove();
  before?.focus();
  return isDone;
}
