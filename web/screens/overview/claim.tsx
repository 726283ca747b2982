import { claimable } from '../../data/first-answer';
import { texts } from '../../texts';

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
