import { useEffect, useState } from 'preact/hooks';
import { Store, useStore } from '../data/store';
import { toasts, undo } from '../data/toasts';
import { Check } from '../parts/form';
import { Dialog } from '../parts/dialog';
import { go, goWith, place } from '../router';
import { texts } from '../texts';

const OFF = 'curtail.no-shortcuts';

/** Whether shortcuts are on. Users can disable them, because they interfere with speech input. */
const areOn = new Store(localStorage.getItem(OFF) === null);

function switchShortcuts(on: boolean): void {
  if (on) localStorage.removeItem(OFF);
  else localStorage.setItem(OFF, '1');
  areOn.set(on);
}

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target instanceof HTMLInputElement)
    return !['checkbox', 'radio', 'button'].includes(target.type);
  return ['TEXTAREA', 'SELECT'].includes(target.tagName);
}

/** Returns the list's first row, unless the user has focused something that can use the key. */
function firstRow(target: EventTarget | null): HTMLElement | null {
  const isIdle = target instanceof HTMLElement && target.matches('body, main, main h1');
  return isIdle ? document.querySelector<HTMLElement>('[data-row]') : null;
}

/** Focuses the search field in the link list. */
function search(): void {
  if (place.get().path !== '/links') go('/links');
  const find = (tries: number): void => {
    const field = document.querySelector<HTMLInputElement>('input[type="search"]');
    if (field !== null) field.focus();
    else if (tries > 0) setTimeout(() => find(tries - 1), 50);
  };
  find(40);
}

export function openNewLink(): void {
  goWith({ new: '1' });
}

export function Shortcuts() {
  const on = useStore(areOn);
  const [isShown, setShown] = useState(false);
  useEffect(() => {
    if (!on) return;
    const press = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      if (document.querySelector('dialog[open]') !== null) return;
      const lastUndoable = toasts.get().findLast((toast) => toast.undo !== null);
      const row = firstRow(event.target);
      const actions: Record<string, () => void> = {
        ...(row === null ? {} : { ArrowDown: () => row.focus() }),
        '/': search,
        n: openNewLink,
        '?': () => setShown(true),
        ...(lastUndoable === undefined ? {} : { z: () => undo(lastUndoable.id) }),
      };
      const action = actions[event.key];
      if (action === undefined) return;
      event.preventDefault();
      action();
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, [on]);
  if (!isShown) return null;
  return (
    <Dialog title={texts.shortcuts.title} close={() => setShown(false)}>
      <ShortcutList />
    </Dialog>
  );
}

export function ShortcutList() {
  const on = useStore(areOn);
  return (
    <>
      <dl class="shortcuts">
        {texts.shortcuts.keys.map(([keys, meaning]) => (
          <div key={keys}>
            <dt>
              {keys.split(' ').map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
      <Check label={texts.shortcuts.use} checked={on} change={switchShortcuts} />
    </>
  );
}
