import type { QrLook, QrContent } from './qr-matrix';

export interface QrCalls {
  draw: {
    request: {
      readonly format: 'png' | 'svg';
      readonly content: QrContent;
      readonly look: QrLook;
      /** PNG that the call `logo` returned. */
      readonly logo: Uint8Array | null;
    };
    response: Uint8Array;
  };
  /** Re-encodes an uploaded PNG. Throws LogoRefusedError if it is unusable. */
  logo: { request: Uint8Array; response: { png: Uint8Array; width: number; height: number } };
}
