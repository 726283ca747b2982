import type { QrLook } from './drawing/qr-look';
import type { QrContent } from './drawing/qr-matrix';

/** Calls of a web process to the thread that draws QR codes. */
export interface QrCalls {
  draw: {
    request: {
      readonly format: 'png' | 'svg';
      readonly content: QrContent;
      readonly look: QrLook;
      /** A PNG that `logo` has answered; null without one. */
      readonly logo: Uint8Array | null;
    };
    response: Uint8Array;
  };
  /** Encodes an uploaded PNG anew; LogoRefusedError for one that cannot be used. */
  logo: { request: Uint8Array; response: { png: Uint8Array; width: number; height: number } };
}
