import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { count } from '../../format';
import { TagName } from '../../parts/tags';
import { colourOf, useTags } from '../../data/tags';
import { texts } from '../../texts';
import type { Line } from './lines';

/** Maximum number of rows to show, because thousands of rows render slowly. */
const MAX_ROWS = 200;

interface PreviewTableProps {
  readonly label: string;
  readonly lines: readonly Line[];
  readonly last: string;
  readonly showLast: (line: Line, at: number) => ComponentChildren;
  readonly isBad: (line: Line, at: number) => boolean;
}

export function PreviewTable({ label, lines, last, showLast, isBad }: PreviewTableProps) {
  const [isWhole, setWhole] = useState(false);
  const tags = useTags();
  const shown = isWhole ? lines : lines.slice(0, MAX_ROWS);
  const rest = lines.length - shown.length;
  const t = texts.many.columns;
  return (
    <>
      <div class="scroll" tabIndex={0} role="region" aria-label={label}>
        <table>
          <thead>
            <tr>
              <th scope="col">{t.line}</th>
              <th scope="col">{t.destination}</th>
              <th scope="col">{last}</th>
              <th scope="col">{t.alias}</th>
              <th scope="col">{t.title}</th>
              <th scope="col">{t.tags}</th>
            </tr>
          </thead>
          <tbody>
            {shown.map((line, i) => {
              const { number, input } = line;
              return (
                <tr key={number} class={isBad(line, i) ? 'bad' : undefined}>
                  <th scope="row">{number}</th>
                  <td class="address" dir="auto">
                    {input.long_url}
                  </td>
                  <td>{showLast(line, i)}</td>
                  <td dir="auto">{input.alias}</td>
                  <td dir="auto">{input.title}</td>
                  <td>
                    <span class="tags">
                      {input.tags?.map((name) => (
                        <TagName key={name} name={name} colour={colourOf(name, tags.value)} />
                      ))}
                    </span>
                  </td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
      {rest > 0 && (
        <button type="button" class="plain small" onClick={() => setWhole(true)}>
          {texts.many.showRest(count(rest))}
        </button>
      )}
    </>
  );
}
