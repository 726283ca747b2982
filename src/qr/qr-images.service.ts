import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { contentDisposition } from '../common/http/content-disposition';
import type { AssetResult } from '../common/http/http-result';
import { LinkAddresses } from '../stores/domains/link-addresses';
import { UnknownLinkError } from '../stores/links/link.errors';
import type { Link, QrStyle, RememberedLink } from '../stores/links/link';
import { LinkCache } from '../links/cache/link-cache';
import { keyOfCode } from '../stores/links/alias-form';
import { LinkGoneError } from '../redirect/redirect.errors';
import type { Principal } from '../auth/access';
import { LinksService } from '../links/making/links.service';
import { QrDrawingThread } from './drawing/qr-drawing.thread';
import { modulePixels, type QrMatrix, qrMeasure, smallestSize } from './drawing/qr-matrix';
import type { AccountFile } from './logo/account-files.repository';
import { LogosService } from './logo/logos.service';
import { codedText, type RequestedStyle, toQrStyle } from './qr-style';
import {
  NoLogoError,
  QrSizeError,
  QrTooLongError,
  QrTooLongForLevelError,
} from './drawing/qr.errors';
import { type QrSettingsResponse, toQrSettings } from './qr.response';

type RequestedImage = RequestedStyle & { readonly download?: boolean };

type QrFormat = 'png' | 'svg';

/** A picture's cache key. Equal values produce the same picture. */
interface DrawnPicture {
  readonly format: QrFormat;
  readonly text: string;
  readonly style: QrStyle;
  readonly logo: AccountFile | null;
}

const CONTENT_TYPES = { png: 'image/png', svg: 'image/svg+xml; charset=utf-8' } as const;
/** Increment when a style's rendering changes. */
const DRAWING = 2;
const MAX_PICTURES_BYTES = 32 * 1024 * 1024;
/** Memory per cache entry in bytes, without the picture. */
const PICTURE_ENTRY_BYTES = 300;

@Injectable()
export class QrImagesService {
  private readonly drawn = new LRUCache<string, Buffer>({
    maxSize: MAX_PICTURES_BYTES,
    sizeCalculation: (bytes) => PICTURE_ENTRY_BYTES + bytes.length,
  });
  private readonly underWay = new Map<string, Promise<Buffer>>();

  constructor(
    private readonly links: LinkCache,
    private readonly logos: LogosService,
    private readonly thread: QrDrawingThread,
    private readonly addresses: LinkAddresses,
  ) {}

  /** Also draws codes for closed links, which may be printed in advance. @throws LinkGoneError */
  async image(
    code: string,
    domainId: string | null,
    format: QrFormat,
    requested: RequestedImage,
  ): Promise<AssetResult> {
    const key = keyOfCode(domainId, code);
    const link = key === null ? null : await this.links.find(key);
    if (link === null) throw new UnknownLinkError('address');
    if (link.blocked !== null) throw new LinkGoneError();
    return this.drawImage(link, format, requested);
  }

  async drawImage(
    link: RememberedLink,
    format: QrFormat,
    { download, ...requested }: RequestedImage,
  ): Promise<AssetResult> {
    const address = this.addresses.find(link.alias);
    const { style, logo } = await this.resolveStyle(link, requested);
    const picture = { format, text: codedText(address, style), style, logo };
    const key = pictureKey(picture);
    if (!this.drawn.has(key)) this.measure(link, style, format);
    return {
      kind: 'asset',
      contentType: CONTENT_TYPES[format],
      body: () => this.bytes(key, picture),
      etag: `"${key}"`,
      maxAgeSeconds: 3600,
      headers: pictureHeaders(picture, download === true ? address.alias : null),
    };
  }

  /** Omits a logo that no longer exists. Throws NoLogoError if the request asks for a logo. */
  async resolveStyle(
    link: RememberedLink,
    requested: RequestedStyle,
    kept = link.qrStyle,
  ): Promise<{ style: QrStyle; logo: AccountFile | null }> {
    const style = toQrStyle(requested, kept);
    if (!style.logo) return { style, logo: null };
    const logo = await this.logos.find(link.ownerId);
    if (logo !== null) return { style, logo };
    if (requested.logo === true) throw new NoLogoError();
    return { style: toQrStyle({ ...requested, logo: false }, kept), logo: null };
  }

  /** @throws QrTooLongForLevelError, QrSizeError */
  measure(
    link: RememberedLink,
    style: QrStyle,
    format: QrFormat,
  ): Pick<QrMatrix, 'size' | 'version'> {
    const code = measured(codedText(this.addresses.find(link.alias), style), style);
    if (format === 'png' && modulePixels(code, style) === null) {
      throw new QrSizeError(smallestSize(code, style.margin));
    }
    return code;
  }

  private async bytes(key: string, picture: DrawnPicture): Promise<Buffer> {
    const known = this.drawn.get(key);
    if (known !== undefined) return known;
    const running = this.underWay.get(key) ?? this.draw(key, picture);
    this.underWay.set(key, running);
    return running;
  }

  private async draw(key: string, { format, text, style, logo }: DrawnPicture): Promise<Buffer> {
    try {
      const { size, margin, dark, light, level } = style;
      const drawn = await this.thread.call('draw', {
        format,
        content: { text, level, logo: logo !== null },
        look: { size, margin, dark, light },
        logo: logo?.data ?? null,
      });
      const bytes = Buffer.from(drawn.buffer, drawn.byteOffset, drawn.byteLength);
      this.drawn.set(key, bytes);
      return bytes;
    } finally {
      this.underWay.delete(key);
    }
  }
}

function measured(text: string, { level }: QrStyle): Pick<QrMatrix, 'size' | 'version'> {
  try {
    return qrMeasure({ text, level });
  } catch (error) {
    throw error instanceof QrTooLongError ? new QrTooLongForLevelError(level) : error;
  }
}

function pictureKey({ format, text, style, logo }: DrawnPicture): string {
  const { size, margin, level, dark, light } = style;
  const parts = [DRAWING, format, text, size, margin, level, dark, light, logo?.etag ?? null];
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 22);
}

function pictureHeaders(
  { format, logo }: DrawnPicture,
  savedAs: string | null,
): Record<string, string> {
  return {
    'X-Robots-Tag': 'noindex',
    // An SVG that is opened directly must not run or load anything. The logo is embedded.
    ...(format === 'svg'
      ? {
          'Content-Security-Policy': `default-src 'none'${logo === null ? '' : '; img-src data:'}`,
        }
      : {}),
    ...(savedAs === null
      ? {}
      : { 'Content-Disposition': contentDisposition(`${savedAs}.${format}`, `qr.${format}`) }),
  };
}

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
