import type { Schemas } from '../../api/client';
import { bare } from '../../format';
import { Icon } from '../../parts/icons';
import { texts } from '../../texts';

/** The code of a link, to look at and to download. */
export function QrCode({ link }: { link: Schemas['LinkItemResponse'] }) {
  const address = `/${encodeURIComponent(link.alias)}/qr`;
  return (
    <div class="qr">
      <img
        src={`${address}.svg`}
        alt={texts.qr.alt(bare(link.short_url))}
        width={256}
        height={256}
      />
      <div class="actions">
        <a class="button" href={`${address}.svg?download=true`}>
          <Icon name="download" /> SVG
        </a>
        <a class="button quiet" href={`${address}.png?download=true&size=1024`}>
          <Icon name="download" /> PNG
        </a>
      </div>
    </div>
  );
}
