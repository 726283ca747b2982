import type { Schemas } from '../api/client';
import { labelOf } from '../data/domains';
import type { Selection } from '../data/selection';
import { count } from '../format';
import { texts } from '../texts';

type LinkItem = Schemas['LinkItemResponse'];

/** Maximum number of reasons to list. The rest are only counted. */
const MAX_REASONS = 20;

/** Lists why links in a selection could not be changed. */
export function FailedLinks({ selected: { links, reasons } }: { selected: Selection }) {
  const t = texts.selection;
  if (reasons.size === 0) return null;
  const failed = [...reasons].slice(0, MAX_REASONS);
  return (
    <div class="reasons" role="alert">
      <p>{t.failed(count(reasons.size), reasons.size)}</p>
      <ul>
        {failed.map(([id, why]) => (
          <li key={id}>
            <strong>{nameOf(links.get(id))}</strong> {why}
          </li>
        ))}
        {reasons.size > MAX_REASONS && <li>{t.more(count(reasons.size - MAX_REASONS))}</li>}
      </ul>
    </div>
  );
}

const nameOf = (link: LinkItem | undefined): string => (link === undefined ? '' : labelOf(link));
