import { features } from '../../data/first-answer';
import { texts } from '../../texts';

/** Runs on any page and opens the form for a new link to that page. */
const SCRIPT = `open(${JSON.stringify(
  `${features.base_url}/dashboard/links?new=1&url=`,
)}+encodeURIComponent(location.href)+'&title='+encodeURIComponent(document.title))`;

export function Bookmarklet() {
  const t = texts.settings.bookmarklet;
  return (
    <section class="card" aria-labelledby="bookmarklet">
      <h2 id="bookmarklet">{t.title}</h2>
      <p class="hint">{t.hint}</p>
      <p>
        <a
          class="button quiet"
          href={`javascript:void ${encodeURIComponent(SCRIPT)}`}
          onClick={(event) => event.preventDefault()}
        >
          {t.link}
        </a>
      </p>
    </section>
  );
}
