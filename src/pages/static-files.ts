import { createHash } from 'node:crypto';
import { CONTROLS } from './style/controls.css';
import { FIGURES } from './style/figures.css';
import { GROUND } from './style/ground.css';

/** A file that is served as it is, from memory. */
export interface StaticFile {
  readonly type: string;
  readonly body: string;
  readonly etag: string;
}

function staticFile(type: string, body: string): StaticFile {
  const digest = createHash('sha256').update(body).digest('base64url').slice(0, 22);
  return { type, body, etag: `"${digest}"` };
}

export const STYLESHEET = staticFile('text/css; charset=utf-8', GROUND + CONTROLS + FIGURES);

/** A long bar cut short. */
export const FAVICON = staticFile(
  'image/svg+xml; charset=utf-8',
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">
<rect width="32" height="32" rx="7" fill="#1d4ed8"/>
<path d="M7 16h9" stroke="#fff" stroke-width="5" stroke-linecap="round"/>
<path d="M22 9v14" stroke="#fff" stroke-width="3" stroke-linecap="round"/>
</svg>
`,
);
