import type { Schemas } from '../../api/client';
import { labelOf } from '../../data/domains';
import { setStatus } from '../../data/link-status';
import { say, sayFailure } from '../../data/toasts';
import { copy } from '../../parts/copy';
import { isOn } from '../../parts/link-state';
import { MenuButton, type MenuItem } from '../../parts/menu';
import { canShare, share } from '../../parts/share';
import { addressOf, go } from '../../router';
import { texts } from '../../texts';

type LinkItem = Schemas['LinkItemResponse'];

interface RowMenuProps {
  readonly link: LinkItem;
  readonly showCode: () => void;
  readonly remove: () => void;
}

export function RowMenu({ link, showCode, remove }: RowMenuProps) {
  return (
    <MenuButton
      label={texts.links.actionsOf(labelOf(link))}
      items={() => itemsOf(link, showCode, remove)}
    />
  );
}

function itemsOf(link: LinkItem, showCode: () => void, remove: () => void): MenuItem[] {
  const t = texts.link;
  const [path, settings] = [`/links/${link.id}`, new URLSearchParams({ view: 'settings' })];
  return [
    { icon: 'copy', label: texts.copy, do: () => void copyAndSay(link.short_url) },
    { icon: 'qr', label: t.qr, do: showCode },
    ...(canShare()
      ? [{ icon: 'share', label: texts.share, do: () => share(link.short_url) } as const]
      : []),
    {
      icon: 'open',
      label: (
        <>
          {t.open} <span class="hint">{t.openCounts}</span>
        </>
      ),
      href: link.short_url,
      isElsewhere: true,
      do: () => undefined,
    },
    {
      icon: 'analytics',
      label: t.statistics,
      href: addressOf(path),
      do: () => go(path),
    },
    {
      icon: 'edit',
      label: t.editView,
      href: addressOf(path, settings),
      do: () => go(path, settings),
    },
    ...(link.status === 'BLOCKED' ? [] : changesOf(link, remove)),
  ];
}

function changesOf(link: LinkItem, remove: () => void): MenuItem[] {
  const canPause = isOn(link);
  const t = texts.link;
  return [
    {
      icon: canPause ? 'pause' : 'play',
      label: canPause ? t.pause : t.resume,
      do: () => void setStatus(link, canPause ? 'INACTIVE' : 'ACTIVE').catch(sayFailure),
    },
    { icon: 'trash', label: t.remove, do: remove, isBad: true },
  ];
}

async function copyAndSay(text: string): Promise<void> {
  const isDone = await copy(text);
  say(isDone ? texts.copied : texts.notCopied, { isProblem: !isDone });
}
