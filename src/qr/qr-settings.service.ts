import { Injectable } from '@nestjs/common';
import type { Principal } from '../auth/principal';
import type { AssetResult } from '../common/http/http-result';
import { LinkAddresses } from '../stores/domains/link-addresses';
import type { Link, QrStyle } from '../stores/links/link';
import { LinksService } from '../links/making/links.service';
import { type QrFormat, QrImagesService } from './qr-images.service';
import { type RequestedStyle, toQrStyle } from './qr-style';
import { QrTooLongForLevelError } from './drawing/qr.errors';
import { type QrSettingsResponse, toQrSettings } from './qr.response';

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

  /** Replaces the style. Rejects a style that cannot be drawn as SVG and PNG. */
  async change(
    urlId: string,
    requested: RequestedStyle,
    caller: Principal,
  ): Promise<QrSettingsResponse> {
    const link = await this.links.ownLink(urlId, caller);
    const { style } = await this.images.resolveStyle(link, requested, null);
    this.images.measure(link, style, 'png');
    const isUsual = JSON.stringify(style) === JSON.stringify(toQrStyle({}, null));
    return this.readSettings(await this.links.setQrStyle(urlId, isUsual ? null : style, caller));
  }

  /** Draws the code for any of the owner's links, on any domain (docs/contract.md#25.1). */
  async image(
    urlId: string,
    format: QrFormat,
    requested: RequestedStyle,
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

  /** Returns null if the alias has become too long for the style. */
  private measureCode(link: Link, style: QrStyle) {
    try {
      return this.images.measure(link, style, 'svg');
    } catch (error) {
      if (error instanceof QrTooLongForLevelError) return null;
      throw error;
    }
  }
}
