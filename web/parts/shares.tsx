import { MAX_COUNTRIES, MAX_VARIANTS, WHOLE_WEIGHT } from '../../src/destinations/destinations';
import type { Failure } from '../api/failure';
import { texts } from '../texts';
import { urlFieldOf, weightOf } from './destination-problems';
import type { CountryDraft, VariantDraft } from './destination-drafts';
import { Choice, Field } from './form';
import { Rows } from './rows';
import { COUNTRIES } from './condition-offers';

const ADDRESS = {
  inputMode: 'url',
  autocomplete: 'off',
  autocapitalize: 'none',
  spellcheck: false,
} as const;

interface CountriesProps {
  readonly countries: readonly CountryDraft[];
  readonly change: (countries: readonly CountryDraft[]) => void;
  readonly failure: Failure | null;
}

export function Countries({ countries, change, failure }: CountriesProps) {
  const t = texts.countries;
  const taken = new Set(countries.map(({ code }) => code));
  return (
    <fieldset>
      <legend>{t.title}</legend>
      <p class="hint">{t.hint}</p>
      <Rows
        rows={countries}
        change={change}
        blank={{ code: '', url: '' }}
        max={MAX_COUNTRIES}
        addLabel={t.add}
      >
        {({ code, url }, set, i) => (
          <div class="pair">
            <Choice
              label={t.country}
              name={`geo_rules.${i}.country`}
              value={code}
              options={[
                ['', t.choose] as const,
                ...[...COUNTRIES]
                  .filter(([, each]) => each === code || !taken.has(each))
                  .map(([name, each]) => [each, name] as const),
              ]}
              change={(chosen) => set({ code: chosen })}
              problem={code === '' ? failure?.fields[`geo_rules.${i}.country`] : undefined}
            />
            <Field
              {...ADDRESS}
              label={texts.rules.to}
              name={urlFieldOf(code, i)}
              value={url}
              change={(typed) => set({ url: typed })}
              failure={failure}
            />
          </div>
        )}
      </Rows>
    </fieldset>
  );
}

interface VariantsProps {
  readonly variants: readonly VariantDraft[];
  readonly change: (variants: readonly VariantDraft[]) => void;
  readonly failure: Failure | null;
}

export function Variants({ variants, change, failure }: VariantsProps) {
  const t = texts.variants;
  const weight = weightOf(variants);
  return (
    <fieldset>
      <legend>{t.title}</legend>
      <p class="hint">{t.hint}</p>
      <Rows
        rows={variants}
        change={change}
        blank={{ url: '', weight: '' }}
        max={MAX_VARIANTS}
        addLabel={t.add}
      >
        {({ url, weight: share }, set, i) => (
          <div class="pair weighed">
            <Field
              {...ADDRESS}
              label={t.address}
              name={`ab_variants.${i}.url`}
              value={url}
              change={(typed) => set({ url: typed })}
              failure={failure}
            />
            <Field
              label={t.weight}
              name={`ab_variants.${i}.weight`}
              type="number"
              inputMode="numeric"
              min={1}
              max={WHOLE_WEIGHT}
              step={1}
              value={share}
              change={(typed) => set({ weight: typed })}
              failure={failure}
              // Shows the problem at the last variant, which is the one most likely to be edited.
              problem={weight > WHOLE_WEIGHT && i === variants.length - 1 ? t.tooMuch : undefined}
            />
          </div>
        )}
      </Rows>
      {variants.length > 0 && weight <= WHOLE_WEIGHT && (
        <p class="hint stays">{t.stays(WHOLE_WEIGHT - weight)}</p>
      )}
    </fieldset>
  );
}
