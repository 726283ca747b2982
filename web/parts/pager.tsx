import { count } from '../format';
import { texts } from '../texts';
import { Icon } from './icons';

interface PagerProps {
  readonly page: number;
  readonly pageSize: number;
  readonly total: number;
  readonly turn: (page: number) => void;
}

export function Pager({ page, pageSize, total, turn }: PagerProps) {
  if (total <= pageSize) return null;
  const last = Math.max(Math.ceil(total / pageSize), 1);
  const to = (next: number): void => {
    turn(next);
    document.querySelector('main')?.scrollIntoView();
  };
  return (
    <nav class="pager" aria-label={texts.links.pages}>
      <button
        type="button"
        class="quiet small"
        disabled={page <= 1}
        data-page="before"
        onClick={() => to(page - 1)}
      >
        <Icon name="back" /> {texts.links.previous}
      </button>
      <span>{texts.links.page(count(page), count(last))}</span>
      <button
        type="button"
        class="quiet small"
        disabled={page >= last}
        data-page="next"
        onClick={() => to(page + 1)}
      >
        {texts.links.next} <Icon name="forward" />
      </button>
    </nav>
  );
}
