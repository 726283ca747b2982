import { texts } from '../texts';
import { Icon } from './icons';

/** Whether the system has a share sheet. */
export const canShare = (): boolean => 'share' in navigator;

export function share(url: string): void {
  // Closing the share sheet is not a failure.
  navigator.share({ url }).catch(() => undefined);
}

export function Share({ url }: { url: string }) {
  if (!canShare()) return null;
  return (
    <button type="button" class="quiet" onClick={() => share(url)}>
      <Icon name="share" /> {texts.share}
    </button>
  );
}
