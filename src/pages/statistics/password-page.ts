import { html } from '../../http/html';
import { page } from '../../http/page';

/** Asks for the password of a link whose statistics are wanted; the form posts to `path`. */
export function statisticsPasswordPage(path: string, message: string, wrong: boolean): string {
  return page(
    'Password needed',
    html`<section class="card">
      <h1>Password needed</h1>
      <p id="message" ${wrong && html`class="problem" role="alert"`}>${message}.</p>
      <form method="post" action="${path}">
        <label for="password">Password of the link</label>
        <input
          id="password"
          name="password"
          type="password"
          autocomplete="off"
          required
          autofocus
          aria-describedby="message"
        />
        <button type="submit">Continue</button>
      </form>
    </section>`,
  );
}
