import { browserZone, currentName, zoneNames } from '../../data/zones';
import { Choice, Field } from '../../parts/form';
import { neededOptions, type RunOptions, type Import } from './standing';
import { words } from './texts';

const ownZone = currentName(browserZone);
const ZONES = zoneNames('UTC', ownZone).map(
  (zone) => [zone, zone === ownZone && zone !== 'UTC' ? words.ofBrowser(zone) : zone] as const,
);

interface OptionsProps {
  readonly one: Import;
  readonly chosen: RunOptions;
  readonly change: (options: RunOptions) => void;
}

/** Choices that affect the checked rows. */
export function Options({ one, chosen, change }: OptionsProps) {
  const needed = neededOptions(one);
  const choice = (
    name: 'on_conflict' | 'on_existing' | 'history' | 'protected' | 'timezone',
    label: string,
    options: readonly (readonly [string, string])[],
    hint?: string,
  ) =>
    needed.has(name) && (
      <Choice
        label={label}
        value={chosen[name]}
        options={options}
        change={(value) => change({ ...chosen, [name]: value })}
        hint={hint}
      />
    );
  const { all, counts, none } = words.histories;
  const hasClicks = one.history.clicks > 0;
  return (
    <fieldset class="import-options">
      <legend>{words.options}</legend>
      <div class="pair">
        {choice('on_conflict', words.onConflict, Object.entries(words.conflicts))}
        {choice('on_existing', words.onExisting, Object.entries(words.existing))}
        {choice(
          'history',
          words.history,
          hasClicks
            ? Object.entries(words.histories)
            : [
                ['all', counts],
                ['none', none],
              ],
          hasClicks ? words.historyHint(all) : words.totalsHint,
        )}
        {choice('protected', words.protected, Object.entries(words.protectedRules))}
        {choice('timezone', words.timezone, ZONES, words.timezoneHint)}
        <Field
          label={words.tags}
          name="tags"
          value={chosen.tags}
          change={(tags) => change({ ...chosen, tags })}
          hint={words.tagsHint}
          autocomplete="off"
          isOptional
        />
      </div>
    </fieldset>
  );
}
