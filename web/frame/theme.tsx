import { Store, useStore } from '../data/store';
import { Icon } from '../parts/icons';
import { texts } from '../texts';

type Theme = 'system' | 'light' | 'dark';
const YEAR_SECONDS = 31_536_000;

const given = document.documentElement.dataset.theme;
const theme = new Store<Theme>(given === 'light' || given === 'dark' ? given : 'system');

/** Stores the theme in a cookie, which the server's pages also read. */
function choose(next: Theme): void {
  theme.set(next);
  const { dataset } = document.documentElement;
  if (next === 'system') delete dataset.theme;
  else dataset.theme = next;
  const value = next === 'system' ? '; Max-Age=0' : `${next}; Max-Age=${YEAR_SECONDS}`;
  document.cookie = `theme=${value}; Path=/; SameSite=Lax`;
}

function isDark(now: Theme): boolean {
  return now === 'system' ? matchMedia('(prefers-color-scheme: dark)').matches : now === 'dark';
}

export function ThemeSwitch() {
  const now = useStore(theme);
  const dark = isDark(now);
  return (
    <button
      type="button"
      class="plain icon-only"
      aria-label={dark ? texts.theme.toLight : texts.theme.toDark}
      title={dark ? texts.theme.toLight : texts.theme.toDark}
      onClick={() => choose(dark ? 'light' : 'dark')}
    >
      <Icon name={dark ? 'sun' : 'moon'} />
    </button>
  );
}

export function ThemeChoice() {
  const now = useStore(theme);
  return (
    <fieldset class="choices">
      <legend class="unseen">{texts.theme.title}</legend>
      {(['system', 'light', 'dark'] as const).map((each) => (
        <label key={each}>
          <input type="radio" name="theme" checked={now === each} onChange={() => choose(each)} />
          <span>{texts.theme[each]}</span>
        </label>
      ))}
    </fieldset>
  );
}
