import { useEffect, useState } from 'preact/hooks';
import { useStore } from '../data/store';
import { end, hold, letGo, type Toast, toasts, undo } from '../data/toasts';
import { texts } from '../texts';
import { Icon } from './icons';

/** Messages at the bottom of the page, which screen readers announce. */
export function Toasts() {
  const all = useStore(toasts);
  return (
    <section class="toasts" aria-label={texts.toasts}>
      <div role="status">
        <ul>
          {all.map((toast) => (
            <ToastLine key={toast.id} toast={toast} />
          ))}
        </ul>
      </div>
    </section>
  );
}

function ToastLine({ toast }: { toast: Toast }) {
  return (
    <li
      class={toast.isProblem ? 'toast bad' : 'toast'}
      onMouseEnter={() => hold(toast.id)}
      onMouseLeave={() => letGo(toast.id)}
      onFocusIn={() => hold(toast.id)}
      onFocusOut={() => letGo(toast.id)}
    >
      <span>{toast.text}</span>
      {toast.undo !== null && (
        <button type="button" class="plain" onClick={() => undo(toast.id)}>
          {texts.undo} <Countdown endsAt={toast.endsAt} />
        </button>
      )}
      <button
        type="button"
        class="plain icon-only"
        aria-label={toast.undo === null ? texts.close : texts.doNow}
        onClick={() => end(toast.id)}
      >
        <Icon name="close" />
      </button>
    </li>
  );
}

function Countdown({ endsAt }: { endsAt: number }) {
  const [, tick] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => tick((count) => count + 1), 500);
    return () => clearInterval(timer);
  }, []);
  const left = Math.max(Math.ceil((endsAt - Date.now()) / 1000), 0);
  return <span aria-hidden="true">{left > 0 ? left : ''}</span>;
}
