import type { IncomingMessage } from 'node:http';
import { BadRequestError, CurtailError, type ErrorCode } from '../../common/errors';
import {
  type ErrorRendering,
  type SelfRendering,
  wantsJson,
} from '../../common/http/error-response';
import { html } from '../../common/http/html';
import { page } from '../../common/http/page';

/** The form that asks for a link's password and posts it to `/{code}/password`. */
export function passwordPage(alias: string, error: CurtailError): string {
  const wrong = error.code === 'invalid_password';
  return page(
    'Password needed',
    html`<section class="card">
<h1>Password needed</h1>
<p${wrong ? html` class="problem" role="alert"` : null}>${error.message}.</p>
<form method="post" action="/${encodeURIComponent(alias)}/password">
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="off" required autofocus>
<button type="submit">Open the link</button>
</form>
</section>`,
  );
}

/** 401 of a password link: JSON for programs, the password form for people (docs/contract.md#8.1). */
abstract class LinkPasswordError extends CurtailError implements SelfRendering {
  constructor(
    private readonly alias: string,
    code: ErrorCode,
    message: string,
  ) {
    super(401, code, message);
  }

  render(request: IncomingMessage): ErrorRendering | null {
    if (wantsJson(request)) return null;
    return { contentType: 'text/html; charset=utf-8', body: passwordPage(this.alias, this) };
  }
}

export class LinkPasswordRequiredError extends LinkPasswordError {
  constructor(alias: string) {
    super(alias, 'password_required', 'This link is protected by a password');
  }
}

export class LinkPasswordWrongError extends LinkPasswordError {
  constructor(alias: string) {
    super(alias, 'invalid_password', 'That password is not right');
  }
}

/** 400: a password was posted for a link that has none. */
export class NoPasswordNeededError extends BadRequestError {
  constructor() {
    super('This link has no password', 'password');
  }
}
