import { useState } from 'preact/hooks';
import { UTM_FIELDS } from '../../src/destinations/utm';
import { api, bodyOf, type Schemas } from '../api/client';
import { outdate, useQuery } from '../data/query';
import { sayFailure, say } from '../data/toasts';
import { texts } from '../texts';
import {
  campaignOf,
  type CampaignValues,
  NO_CAMPAIGN,
  valuesFrom,
  withCampaign,
} from './campaign-values';
import { Combobox } from './combobox';
import { Dialog } from './dialog';
import { Choice, Field, FormProblem, useSubmission } from './form';
import { Icon } from './icons';
import { problemsOfCampaign } from './link-problems';

type Template = Schemas['UtmTemplateResponse'];

interface CampaignProps {
  readonly destination: string;
  readonly change: (destination: string) => void;
}

export function Campaign({ destination, change }: CampaignProps) {
  const [isOpen, setOpen] = useState(false);
  const t = texts.utm;
  return (
    <div class="campaign">
      <button type="button" class="quiet small" onClick={() => setOpen(true)}>
        <Icon name="campaign" /> {t.title}
      </button>
      {isOpen && (
        <Dialog title={t.title} close={() => setOpen(false)}>
          <CampaignForm
            destination={destination}
            apply={(next) => {
              change(next);
              setOpen(false);
            }}
          />
        </Dialog>
      )}
    </div>
  );
}

function CampaignForm({
  destination,
  apply,
}: {
  destination: string;
  apply: (to: string) => void;
}) {
  const [values, setValues] = useState<CampaignValues>(() => campaignOf(destination));
  const templates = useTemplates();
  const used = useUsedValues();
  const t = texts.utm;
  const problems = problemsOfCampaign(values);
  const result = withCampaign(destination, values);
  const isEmpty = UTM_FIELDS.every((field) => values[field].trim() === '');
  const offersOf = (field: keyof CampaignValues): readonly string[] => [
    ...new Set([
      ...(used[field] ?? []),
      ...(templates ?? []).flatMap((template) => template[field] ?? []),
    ]),
  ];
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        // Submitting this form must not submit the surrounding one.
        event.stopPropagation();
        if (Object.keys(problems).length === 0 && destination.trim() !== '') apply(result);
      }}
    >
      <Templates
        templates={templates ?? []}
        choose={(template) =>
          setValues(template === null ? NO_CAMPAIGN : valuesFrom((field) => template[field] ?? ''))
        }
      />
      {UTM_FIELDS.map((field, i) => (
        <Combobox
          key={field}
          label={t.fields[field]}
          name={field}
          value={values[field]}
          change={(value) => setValues({ ...values, [field]: value })}
          options={offersOf(field)}
          problem={problems[field]}
          placeholder={t.examples[field]}
          isFirst={i === 0}
          isOptional={i > 2}
        />
      ))}
      <p class="hint">{t.counted}</p>
      <h3>{t.result}</h3>
      <p class="result-address" role="status">
        {destination.trim() === '' ? <span class="hint">{t.noAddress}</span> : result}
      </p>
      {!isEmpty && <NewTemplate values={values} />}
      <footer class="dialog-foot">
        <button type="submit" disabled={destination.trim() === ''}>
          {t.apply}
        </button>
      </footer>
    </form>
  );
}

interface TemplatesProps {
  readonly templates: readonly Template[];
  readonly choose: (template: Template | null) => void;
}

function Templates({ templates, choose }: TemplatesProps) {
  const [id, setId] = useState('');
  const t = texts.utm;
  if (templates.length === 0) return null;
  const remove = (): void => {
    bodyOf(api.DELETE('/api/v1/utm-templates/{id}', { params: { path: { id } } }))
      .catch(sayFailure)
      .finally(() => {
        setId('');
        outdate('utm-templates');
      });
  };
  return (
    <>
      <Choice
        label={t.template}
        value={id}
        options={[
          ['', t.noTemplate],
          ...templates.map((template) => [template.id, template.name] as const),
        ]}
        change={(next) => {
          setId(next);
          choose(templates.find((template) => template.id === next) ?? null);
        }}
      />
      {id !== '' && (
        <button type="button" class="plain small" onClick={remove}>
          {t.remove}
        </button>
      )}
    </>
  );
}

function NewTemplate({ values }: { values: CampaignValues }) {
  const [name, setName] = useState('');
  const submission = useSubmission();
  const t = texts.utm;
  const save = async (): Promise<void> => {
    const set = UTM_FIELDS.filter((field) => values[field].trim() !== '');
    const body = {
      name: name.trim(),
      ...Object.fromEntries(set.map((field) => [field, values[field].trim()])),
    };
    await bodyOf(api.POST('/api/v1/utm-templates', { body }));
    outdate('utm-templates');
    setName('');
    say(t.saved);
  };
  return (
    <details>
      <summary>{t.save}</summary>
      <Field
        label={t.templateName}
        name="name"
        value={name}
        change={setName}
        failure={submission.failure}
        dir="auto"
        autocomplete="off"
      />
      <FormProblem failure={submission.failure} shown={['name']} />
      <button
        type="button"
        class="quiet small"
        disabled={name.trim() === ''}
        aria-busy={submission.isRunning}
        onClick={() => submission.run(save)}
      >
        {texts.save}
      </button>
    </details>
  );
}

function useTemplates(): readonly Template[] | undefined {
  return useQuery('utm-templates', async () => {
    return (await bodyOf(api.GET('/api/v1/utm-templates'))).templates;
  }).value;
}

/** Returns campaign values from clicks, most frequent first. */
function useUsedValues(): Readonly<Partial<Record<keyof CampaignValues, readonly string[]>>> {
  const found = useQuery('utm-values', async () => {
    const query = {
      scope: 'all',
      group_by: 'utm_source,utm_medium,utm_campaign',
      limit: 100,
    } as const;
    const { metrics } = await bodyOf(api.GET('/api/v1/stats', { params: { query } }));
    const lists: Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>> = metrics;
    return lists;
  });
  const valuesOf = (field: string): readonly string[] =>
    (found.value?.[`clicks_by_utm_${field}`] ?? [])
      .map((point) => String(point[`utm_${field}`]))
      .filter((value) => value !== '(none)');
  return {
    source: valuesOf('source'),
    medium: valuesOf('medium'),
    campaign: valuesOf('campaign'),
  };
}
