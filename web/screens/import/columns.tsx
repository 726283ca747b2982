import { Choice } from '../../parts/form';
import { words } from './texts';
import type { Column } from './standing';

/** Columns by field. Null ignores the field. An absent field is detected from the header. */
export type Mapping = Readonly<Record<string, string | null>>;

const AS_HEADER = '';
const NONE = '\0';

interface ColumnsProps {
  readonly columns: readonly Column[];
  readonly mapping: Mapping;
  readonly change: (mapping: Mapping) => void;
}

export function Columns({ columns, mapping, change }: ColumnsProps) {
  const options = [
    [AS_HEADER, words.asHeader] as const,
    [NONE, words.noColumn] as const,
    ...columns.map(({ name }) => [name, name] as const),
  ];
  const set = (field: string, value: string): void => {
    const others = Object.entries(mapping).filter(([name]) => name !== field);
    const chosen = [field, value === NONE ? null : value] as const;
    change(Object.fromEntries(value === AS_HEADER ? others : [...others, chosen]));
  };
  return (
    <fieldset class="import-options">
      <legend>{words.columns}</legend>
      <p class="hint">{words.columnsHint}</p>
      <div class="pair">
        {Object.entries(words.fields).map(([field, label]) => {
          const chosen = mapping[field];
          const examples = columns.find(({ name }) => name === chosen)?.examples ?? [];
          return (
            <Choice
              key={field}
              label={label}
              value={chosen === null ? NONE : (chosen ?? AS_HEADER)}
              options={options}
              change={(value) => set(field, value)}
              hint={examples.length > 0 ? words.examples(examples) : undefined}
            />
          );
        })}
      </div>
    </fieldset>
  );
}
