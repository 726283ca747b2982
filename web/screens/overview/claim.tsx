import { claimable } from '../../data/first-answer';
import { texts } from '../../texts';

/** Links that this browser made before anybody was signed in: one button takes them over. */
export function Claim() {
  if (claimable === 0) return null;
  const t = texts.overview.claim;
  return (
    <section class="card claim">
      <p role="status">{t.note(claimable)}</p>
      <form method="post" action="/dashboard/claim">
        <button type="submit">{t.button(claimable)}</button>
      </form>
    </section>
  );
}
