import { html, Html } from '../../http/html';

const PAPER = 'background:#f4f5f7;margin:0;padding:24px 12px';
const CARD =
  'max-width:480px;margin:0 auto;padding:28px;background:#ffffff;color:#1c2430;border-radius:10px;font:16px/1.5 system-ui,-apple-system,Segoe UI,Roboto,sans-serif';
const CODE =
  'margin:20px 0;padding:14px;background:#eef1f6;border-radius:8px;font:700 30px/1.2 ui-monospace,Menlo,Consolas,monospace;letter-spacing:4px;text-align:center';

/** The frame of an HTML mail; mail programs read inline styles only. */
export function mailLayout(title: string, body: Html): string {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <title>${title}</title>
      </head>
      <body style="${PAPER}">
        <div style="${CARD}">${body}</div>
      </body>
    </html> `.markup;
}

/** A code in one run of characters, so that a double click takes all of it. */
export function codeBlock(code: string): Html {
  return html`<p style="${CODE}">${code}</p>`;
}
