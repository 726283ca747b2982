import { texts } from '../texts';
import { Icon } from './icons';

/** Whether the system has a sheet for what is to be shared: telephones do, and so do some computers. */
export const canShare = (): boolean => 'share' in navigator;

export function share(url: string): void {
  // Closing the sheet of the system is no failure.
  navigator.share({ url }).catch(() => undefined);
}

/** Hands an address to the system; nothing where that is not possible. */
export function Share({ url }: { url: string }) {
  if (!canShare()) return null;
  return (
    <button type="button" class="quiet" onClick={() => share(url)}>
      <Icon name="share" /> {texts.share}
    </button>
  );
}
