import { Injectable } from '@nestjs/common';
import type { Principal } from '../auth/principal';
import type { AssetResult } from '../common/http/http-result';
import { LinkAddresses } from '../stores/domains/link-addresses';
import type { Link, QrStyle } from '../stores/links/link';
import { LinksService } from '../links/links.service';
import { type QrFormat, QrImagesService } from './qr-images.service';
import { type AskedStyle, toQrStyle } from './qr-style';
import { QrTooLongForLevelError } from './qr.errors';
import { type QrSettingsResponse, toQrSettings } from './qr.response';

/** How the code of a link looks where a request says nothing else, as its owner wants it. */
@Injectable()
export class QrSettingsService {
  constructor(
    private readonly links: LinksService,
    private readonly images: QrImagesService,
    private readonly addresses: LinkAddresses,
  ) {}

  async show(urlId: string, caller: Principal): Promise<QrSettingsResponse> {
    return this.readSettings(await this.links.ownLink(urlId, caller));
  }

  /** Replaces the whole style; refuses one in which either picture could not be drawn. */
  async change(
    urlId: string,
    requested: AskedStyle,
    caller: Principal,
  ): Promise<QrSettingsResponse> {
    const link = await this.links.ownLink(urlId, caller);
    const { style } = await this.images.resolveStyle(link, requested, null);
    this.images.measure(link, style, 'png');
    const isUsual = JSON.stringify(style) === JSON.stringify(toQrStyle({}, null));
    return this.readSettings(await this.links.setQrStyle(urlId, isUsual ? null : style, caller));
  }

  /** The picture of an own link, wherever it lies (docs/contract.md#25.1). */
  async image(
    urlId: string,
    format: QrFormat,
    requested: AskedStyle,
    caller: Principal,
  ): Promise<AssetResult> {
    return this.images.drawImage(await this.links.ownLink(urlId, caller), format, requested);
  }

  private async readSettings(link: Link): Promise<QrSettingsResponse> {
    const { style } = await this.images.resolveStyle(link, {});
    return toQrSettings(
      this.addresses.find(link.alias).shortUrl,
      style,
      this.measureCode(link, style),
    );
  }

  /** Null where the alias has become too long since the style was chosen. */
  private measureCode(link: Link, style: QrStyle) {
    try {
      return this.images.measure(link, style, 'svg');
    } catch (error) {
      if (error instanceof QrTooLongForLevelError) return null;
      throw error;
    }
  }
}
