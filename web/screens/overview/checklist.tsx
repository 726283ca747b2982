import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { api, bodyOf, type Schemas } from '../../api/client';
import { useQuery } from '../../data/query';
import { openNewLink } from '../../frame/shortcuts';
import { Icon } from '../../parts/icons';
import { Link } from '../../router';
import { texts } from '../../texts';

const DONE = 'curtail.checklist-done';

export function Checklist({ overview }: { overview: Schemas['OverviewResponse'] }) {
  const [isOver, setOver] = useState(localStorage.getItem(DONE) !== null);
  const keys = useQuery(isOver ? null : 'keys', () => bodyOf(api.GET('/api/v1/keys')));
  const t = texts.overview.checklist;
  const hasLink = overview.links.total > 0;
  const hasClick = overview.hot.length > 0 || overview.clicks.imported_clicks > 0;
  const hasKey = (keys.value?.keys.length ?? 0) > 0;
  if (isOver || keys.value === undefined) return null;
  if (hasLink && hasClick && hasKey) {
    localStorage.setItem(DONE, '1');
    return null;
  }
  const first = overview.hot[0];
  return (
    <section class="card checklist" aria-labelledby="checklist">
      <header class="card-head">
        <h2 id="checklist">{t.title}</h2>
        <button
          type="button"
          class="plain icon-only"
          aria-label={t.dismiss}
          title={t.dismiss}
          onClick={() => {
            localStorage.setItem(DONE, '1');
            setOver(true);
            document.querySelector<HTMLElement>('main h1')?.focus();
          }}
        >
          <Icon name="close" />
        </button>
      </header>
      <ol>
        <Step isDone={hasLink} text={t.link} note={t.linkNote}>
          <button type="button" class="plain" onClick={openNewLink}>
            {t.linkDo}
          </button>
        </Step>
        <Step isDone={hasClick} text={t.click}>
          {hasLink && (
            <Link class="button plain" to={first === undefined ? '/links' : `/links/${first.id}`}>
              {t.clickDo}
            </Link>
          )}
        </Step>
        <Step isDone={hasKey} text={t.key}>
          <Link class="button plain" to="/keys">
            {t.keyDo}
          </Link>
        </Step>
      </ol>
    </section>
  );
}

interface StepProps {
  readonly isDone: boolean;
  readonly text: string;
  readonly note?: string;
  readonly children?: ComponentChildren;
}

function Step({ isDone, text, note, children }: StepProps) {
  return (
    <li class={isDone ? 'done' : ''}>
      <span class="tick" aria-hidden="true">
        {isDone && <Icon name="check" />}
      </span>
      <span>
        {text}
        {!isDone && note !== undefined && <span class="hint"> {note}</span>}
        {isDone && <span class="unseen"> {texts.overview.checklist.done}</span>}
      </span>
      {!isDone && children}
    </li>
  );
}
