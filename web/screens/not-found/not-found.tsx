import { Link, usePlace } from '../../router';
import { texts } from '../../texts';

export default function NotFound() {
  const { path } = usePlace();
  return (
    <section class="card narrow centred">
      <p class="big-status">404</p>
      <h1 tabIndex={-1}>{texts.notFound.title}</h1>
      <p>
        {texts.notFound.text} <code class="destination">/dashboard{path}</code>
      </p>
      <Link class="button" to="/">
        {texts.notFound.home}
      </Link>
    </section>
  );
}
