import {
  CONDITION_FIELDS,
  type ConditionField,
  MAX_CONDITIONS,
  MAX_RULES,
  MAX_CONDITION_VALUE_LENGTH,
  RULE_DEVICES,
} from '../../src/destinations/destinations';
import type { Failure } from '../api/failure';
import { texts } from '../texts';
import {
  type ConditionDraft,
  NEW_CONDITION,
  NEW_RULE,
  ownLanguageRule,
  type RuleDraft,
} from './destination-drafts';
import { OFFERS } from './condition-offers';
import { Check, Choice, Field, FieldNotes } from './form';
import { Icon } from './icons';
import { Rows } from './rows';
import { Values } from './values';

interface RulesProps {
  readonly rules: readonly RuleDraft[];
  readonly change: (rules: readonly RuleDraft[]) => void;
  readonly failure: Failure | null;
  readonly destination: string;
}

export function Rules({ rules, change, failure, destination }: RulesProps) {
  const t = texts.rules;
  const ownLanguage = ownLanguageRule(rules, destination);
  return (
    <fieldset>
      <legend>{t.title}</legend>
      <p class="hint">{t.hint}</p>
      <Rows
        rows={rules}
        change={change}
        blank={NEW_RULE}
        max={MAX_RULES}
        addLabel={t.add}
        isOrdered
        titleOf={({ key }, i) => t.rule(i + 1, key)}
      >
        {(rule, set, i) => (
          <>
            <Rows
              rows={rule.when}
              change={(when) => set({ when })}
              blank={NEW_CONDITION}
              max={MAX_CONDITIONS}
              min={1}
              addLabel={t.addCondition}
              removeLabel={t.dropCondition}
            >
              {(condition, setCondition, c) => (
                <ConditionFields
                  condition={condition}
                  change={setCondition}
                  name={`rules.${i}.when.${c}`}
                  failure={failure}
                />
              )}
            </Rows>
            <Field
              label={t.to}
              name={`rules.${i}.to`}
              value={rule.to}
              change={(to) => set({ to })}
              failure={failure}
              inputMode="url"
              autocomplete="off"
              autocapitalize="none"
              spellcheck={false}
            />
          </>
        )}
      </Rows>
      {ownLanguage !== null && (
        <button
          type="button"
          class="quiet small"
          title={t.ownLanguageHint}
          onClick={() => change([...rules, ownLanguage])}
        >
          <Icon name="plus" /> {t.ownLanguage}
        </button>
      )}
    </fieldset>
  );
}

interface ConditionProps {
  readonly condition: ConditionDraft;
  readonly change: (changes: Partial<ConditionDraft>) => void;
  readonly name: string;
  readonly failure: Failure | null;
}

function ConditionFields({ condition, change, name, failure }: ConditionProps) {
  const t = texts.rules;
  const { field } = condition;
  const hasTwo = field === 'query' || field === 'time';
  return (
    <div class={hasTwo ? 'pair of-two' : 'pair'}>
      <Choice
        label={t.condition}
        value={field}
        options={CONDITION_FIELDS.map((each) => [each, t.fields[each]])}
        change={(chosen) => change({ ...NEW_CONDITION, field: chosen as ConditionField })}
      />
      <ConditionValues condition={condition} change={change} name={name} failure={failure} />
      <Check
        label={hasTwo ? t.notThis : t.not}
        checked={condition.not}
        change={(not) => change({ not })}
      />
    </div>
  );
}

function ConditionValues({ condition, change, name, failure }: ConditionProps) {
  const t = texts.rules;
  const { field, values } = condition;
  if (field === 'device') {
    return (
      <Devices
        name={`${name}.values`}
        chosen={values}
        change={change}
        problem={failure?.fields[`${name}.values`]}
      />
    );
  }
  if (field === 'time') {
    const time = { type: 'datetime-local', failure, isOptional: true } as const;
    return (
      <>
        <Field
          {...time}
          label={t.from}
          name={`${name}.from`}
          value={condition.from}
          change={(from) => change({ from })}
        />
        <Field
          {...time}
          label={t.until}
          name={`${name}.to`}
          value={condition.to}
          change={(to) => change({ to })}
          hint={texts.linkForm.zone}
        />
      </>
    );
  }
  const list = (
    <Values
      label={t.values[field]}
      name={`${name}.values`}
      values={values}
      change={(chosen) => change({ values: chosen })}
      offers={OFFERS[field] ?? new Map()}
      isOpen={field !== 'country'}
      hasCommas={field === 'query'}
      isOptional={field === 'query'}
      problem={failure?.fields[`${name}.values`]}
      hint={t.valueHints[field]}
    />
  );
  if (field !== 'query') return list;
  return (
    <>
      <Field
        label={t.name}
        name={`${name}.name`}
        value={condition.name}
        change={(typed) => change({ name: typed })}
        failure={failure}
        maxLength={MAX_CONDITION_VALUE_LENGTH}
        autocomplete="off"
        autocapitalize="none"
        spellcheck={false}
        hint={t.nameHint}
      />
      {list}
    </>
  );
}

interface DevicesProps {
  readonly name: string;
  readonly chosen: readonly string[];
  readonly change: (changes: Partial<ConditionDraft>) => void;
  readonly problem: string | undefined;
}

function Devices({ name, chosen, change, problem }: DevicesProps) {
  const t = texts.rules;
  const toggled = (device: string, isOn: boolean): string[] =>
    RULE_DEVICES.filter((each) => (each === device ? isOn : chosen.includes(each)));
  // Hides the problem as soon as a value is chosen.
  const shown = chosen.length === 0 ? problem : undefined;
  return (
    <div class="field" role="group" aria-labelledby={`${name}-label`}>
      <span class="label" id={`${name}-label`}>
        {t.devicesTitle}
      </span>
      <div class="checks">
        {RULE_DEVICES.map((device) => (
          <label key={device}>
            <input
              type="checkbox"
              name={name}
              checked={chosen.includes(device)}
              aria-invalid={shown !== undefined}
              aria-describedby={shown === undefined ? undefined : `${name}-problem`}
              onChange={(event) => change({ values: toggled(device, event.currentTarget.checked) })}
            />
            {t.devices[device]}
          </label>
        ))}
      </div>
      <FieldNotes id={name} problem={shown} hint={undefined} />
    </div>
  );
}
