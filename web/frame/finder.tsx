import { useEffect } from 'preact/hooks';
import { Store, useStore } from '../data/store';
import { Dialog } from '../parts/dialog';
import { Icon } from '../parts/icons';
import { texts } from '../texts';
import { loadPalette, useChunk } from './chunks';
import type { ScreenOffer } from './palette';
import { MissingPart } from './screen';

const isShown = new Store(false);

export function FinderButton() {
  const t = texts.palette;
  return (
    <button
      type="button"
      class="plain icon-only"
      aria-label={t.title}
      aria-keyshortcuts="Control+K Meta+K"
      title={`${t.title} (Ctrl K, ⌘ K)`}
      onClick={() => isShown.set(true)}
    >
      <Icon name="search" />
    </button>
  );
}

/** The command palette, which `Ctrl K` and the button open. */
export function Finder({ screens }: { screens: readonly ScreenOffer[] }) {
  const isOpen = useStore(isShown);
  const { chunk, missing, retry } = useChunk(isOpen ? loadPalette : null);
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      const isModified = (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey;
      if (!isModified || event.key.toLowerCase() !== 'k') return;
      event.preventDefault();
      if (document.querySelector('dialog[open]') === null) isShown.set(true);
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, []);
  if (!isOpen || (chunk === null && missing === null)) return null;
  const close = (): void => isShown.set(false);
  return (
    <Dialog title={texts.palette.title} close={close}>
      {chunk !== null ? (
        <chunk.Palette screens={screens} close={close} />
      ) : (
        missing !== null && <MissingPart why={missing} retry={retry} />
      )}
    </Dialog>
  );
}
